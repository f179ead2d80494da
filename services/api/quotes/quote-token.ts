import { hkdfSync } from 'node:crypto';
import { createSigner, createVerifier } from 'fast-jwt';
import type { ServiceType } from '#shared/guides/guide.ts';
import type { Quote } from './quote.ts';
import type { PriceLine } from './tariffs/price.ts';

/** Another type than that of access tokens, so that neither passes for the other. */
const TYPE = 'cotizacion+jwt';
/** Bytes of a key for HS256. */
const KEY_BYTES = 32;

/** What a token has: short names and lists, since it travels in every guide. */
type Claims = {
  aud: string;
  exp: number;
  t: [version: number, list: string, zone: string];
  b: [origin: string, destination: string];
  p: [origin: string, destination: string, service: ServiceType, type: string, packages: number];
  m: [grams: number, ...sides: [number, number, number], declared: number];
  /** What is collected on delivery; absent if nothing is. */
  c?: number;
  w: [billed: number, volumetric: number];
  d: [from: string, to: string, receivedBefore: number];
  /** The numbers of each line, without zeros at the end. */
  l: [concept: string, ...numbers: number[]][];
};

/** Signs quotes, and reads them back. Keys are derived from the secret of the access tokens and from the one before it. */
export class QuoteTokens {
  readonly #sign: (claims: Claims) => string;
  readonly #verifiers: ((token: string) => Claims)[];

  constructor(secret: string, previousSecret?: string) {
    const keys = [secret, ...(previousSecret ? [previousSecret] : [])].map(deriveKey);
    const [key] = keys as [Buffer];
    const header = { alg: 'HS256' as const, typ: TYPE };
    this.#sign = createSigner({ key, algorithm: 'HS256', noTimestamp: true, header });
    this.#verifiers = keys.map((key) =>
      createVerifier({
        ...{ key, algorithms: ['HS256'], checkTyp: TYPE, requiredClaims: ['exp', 'aud'] },
        ignoreExpiration: true,
      }),
    );
  }

  /** Returns the token of a quote for an account. `MAX_SURCHARGES` keeps it from growing longer than a guide takes. */
  sign(account: string, quote: Quote): string {
    const { parcel, delivery } = quote;
    return this.#sign({
      aud: account,
      exp: quote.expires,
      t: [quote.version, quote.list, quote.zone],
      b: [quote.origin, quote.destination],
      p: [parcel.origin, parcel.destination, parcel.service, parcel.type, parcel.packages],
      m: [parcel.grams, ...parcel.sides, parcel.declared],
      ...(parcel.cod !== undefined && { c: parcel.cod }),
      w: [quote.billedGrams, quote.volumetricGrams],
      d: [delivery.from, delivery.to, delivery.receivedBefore],
      l: quote.lines.map(packLine),
    });
  }

  /** Returns what was quoted to an account, or undefined if the token was altered or is another account's. */
  read(account: string, token: string): Quote | undefined {
    const claims = isCanonical(token) ? this.#verify(token) : undefined;
    if (claims?.aud !== account) return undefined;
    const [version, list, zone] = claims.t;
    const [origin, destination, service, type, packages] = claims.p;
    const [grams, one, two, three, declared] = claims.m;
    const [from, to, receivedBefore] = claims.d;
    const lines = claims.l.map(unpackLine);
    return {
      ...{ version, list, zone, origin: claims.b[0], destination: claims.b[1] },
      parcel: {
        origin,
        destination,
        service,
        type,
        packages,
        grams,
        sides: [one, two, three],
        declared,
        ...(claims.c !== undefined && { cod: claims.c }),
      },
      ...{ lines, freight: freightOf(lines), total: sumOf(lines) },
      ...{ billedGrams: claims.w[0], volumetricGrams: claims.w[1] },
      delivery: { from, to, receivedBefore },
      expires: claims.exp,
    };
  }

  #verify(token: string): Claims | undefined {
    for (const verify of this.#verifiers) {
      try {
        return verify(token);
      } catch {
        // The key before it may have signed it.
      }
    }
    return undefined;
  }
}

function packLine(line: PriceLine): Claims['l'][number] {
  const numbers =
    'upToGrams' in line
      ? [line.upToGrams, line.extraGrams]
      : [line.percentage, line.base, line.minimum, line.fixed, line.fixed && line.count];
  while (numbers.at(-1) === 0) numbers.pop();
  return [line.concept, line.amount, ...numbers];
}

function unpackLine([concept, amount = 0, ...numbers]: Claims['l'][number]): PriceLine {
  if (concept === 'flete')
    return { concept, amount, upToGrams: numbers[0] ?? 0, extraGrams: numbers[1] ?? 0 };
  const [percentage = 0, base = 0, minimum = 0, fixed = 0, count = 1] = numbers;
  return { concept, amount, percentage, base, minimum, fixed, count };
}

function sumOf(lines: readonly PriceLine[]): number {
  return lines.reduce((sum, { amount }) => sum + amount, 0);
}

function freightOf(lines: readonly PriceLine[]): number {
  return sumOf(lines.filter(({ concept }) => concept === 'flete' || concept === 'descuento'));
}

/** RFC 5869: the same secret must not sign two kinds of tokens with one key. */
function deriveKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', TYPE, KEY_BYTES));
}

/** Returns whether a signature is canonical base64url: two bits of its last character are not read. */
function isCanonical(token: string): boolean {
  const signature = token.split('.')[2] ?? '';
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}
