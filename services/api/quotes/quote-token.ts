import { hkdfSync } from 'node:crypto';
import { createSigner, createVerifier } from 'fast-jwt';
import type { ServiceType } from '#shared/contracts/guide.ts';
import type { PriceLine } from '../tariffs/price.ts';
import type { Parcel } from '../tariffs/tariff.ts';

/** A price that binds until it expires, as its token carries it. Amounts in centavos, weights in grams, sides in mm. */
export type Offer = {
  tariff: { version: number; list: string; zone: string };
  /** Codes of the branches. */
  origin: string;
  destination: string;
  /** Of `parcel.origin` and `parcel.destination` the latter is bound, as the place of the delivery. */
  parcel: Parcel;
  lines: PriceLine[];
  billedGrams: number;
  volumetricGrams: number;
  /** Days of delivery, as `YYYY-MM-DD`. */
  delivery: { from: string; to: string };
  /** The last second in which it binds, in s since 1970. */
  expires: number;
};

/** Longest token, in characters (docs/contract.md "Quotes"). */
export const MAX_TOKEN = 1_000;

/** Another type than that of access tokens, so that neither passes for the other. */
const TYPE = 'cotizacion+jwt';
/** Bytes of a key for HS256. */
const KEY_BYTES = 32;

/** What a token has: short names and lists, since it travels in every guide. */
type Claims = {
  exp: number;
  t: [version: number, list: string, zone: string];
  b: [origin: string, destination: string];
  p: [origin: string, destination: string, service: ServiceType, type: string, packages: number];
  m: [grams: number, ...sides: [number, number, number], declared: number];
  w: [billed: number, volumetric: number];
  d: [from: string, to: string];
  /** The numbers of each line, without zeros at the end. */
  l: [concept: string, ...numbers: number[]][];
};

/** Why a token is refused. */
export type BadToken = 'invalid' | 'expired';

/** Signs offers, and reads them back. Keys are derived from the secret of the access tokens and from the one before it. */
export class QuoteTokens {
  readonly #sign: (claims: object, account: string) => string;
  readonly #verify: (token: string, account: string) => Claims | undefined;
  readonly #now: () => number;

  constructor(secret: string, previousSecret: string | undefined, now: () => number = Date.now) {
    const key = deriveKey(secret);
    const keys = previousSecret ? [key, deriveKey(previousSecret)] : [key];
    this.#sign = (claims, account) =>
      createSigner({
        ...{ key, algorithm: 'HS256', aud: account, noTimestamp: true },
        header: { alg: 'HS256', typ: TYPE },
      })(claims);
    this.#verify = (token, account) => {
      for (const key of keys) {
        try {
          const verify = createVerifier({
            ...{ key, algorithms: ['HS256'], checkTyp: TYPE, allowedAud: account },
            ...{ requiredClaims: ['exp', 'aud'], ignoreExpiration: true },
          });
          return verify(token);
        } catch {
          // The other key may be the one that signed it.
        }
      }
      return undefined;
    };
    this.#now = now;
  }

  /** Returns the token of an offer to an account. */
  sign(account: string, offer: Offer): string {
    const { tariff, parcel, lines, delivery } = offer;
    const claims: Claims = {
      exp: offer.expires,
      t: [tariff.version, tariff.list, tariff.zone],
      b: [offer.origin, offer.destination],
      p: [parcel.origin, parcel.destination, parcel.service, parcel.type, parcel.packages],
      m: [parcel.grams, ...parcel.sides, parcel.declared],
      w: [offer.billedGrams, offer.volumetricGrams],
      d: [delivery.from, delivery.to],
      l: lines.map(packLine),
    };
    return this.#sign(claims, account);
  }

  /** Returns what was offered to an account, or why the token is not good: also that of another account is `invalid`. */
  read(account: string, token: string): Offer | BadToken {
    if (!isCanonical(token)) return 'invalid';
    const claims = this.#verify(token, account);
    if (!claims) return 'invalid';
    // `exp` is the last second, and not the first one after it as in access tokens.
    if (Math.floor(this.#now() / 1_000) > claims.exp) return 'expired';
    const [version, list, zone] = claims.t;
    const [origin, destination, service, type, packages] = claims.p;
    const [grams, one, two, three, declared] = claims.m;
    return {
      tariff: { version, list, zone },
      ...{ origin: claims.b[0], destination: claims.b[1] },
      parcel: { origin, destination, service, type, packages, grams, sides: [one, two, three], declared },
      lines: claims.l.map(unpackLine),
      ...{ billedGrams: claims.w[0], volumetricGrams: claims.w[1] },
      delivery: { from: claims.d[0], to: claims.d[1] },
      expires: claims.exp,
    };
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

/** RFC 5869: the same secret must not sign two kinds of tokens with one key. */
function deriveKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', TYPE, KEY_BYTES));
}

/** Returns whether the signature is written in the one way it should be: its last character has two bits that nobody reads. */
function isCanonical(token: string): boolean {
  const signature = token.split('.')[2] ?? '';
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}
