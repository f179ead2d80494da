import { inTurns } from '#shared/async/in-turns.ts';
import type { Branch } from '#shared/contracts/branch.ts';
import type { SentGuide, ServiceType } from '#shared/contracts/guide.ts';
import type { PricedParcel, QuotedPrice } from '#shared/contracts/quoted-price.ts';
import { DomainError, type ErrorCode, type Problem } from '#shared/errors/domain-error.ts';
import { zonedTime } from '../local-time.ts';
import type { Shipment } from '../requests/guide-request.ts';
import type { GuideBranches } from '../requests/resolve-branches.ts';
import { formatCentimetres, formatKilograms, formatPesos } from '../tariffs/amounts.ts';
import type { CurrentTariff } from '../tariffs/current-tariff.ts';
import { amountsOf, missingMeasures, type Offer, parcelOf, quotedPrice } from './offer.ts';
import type { CountQuotes, QuoteResult } from './quote-metrics.ts';
import { isExpired, isQuotedType, type QuoteTokens, quotedTypeWords } from './quote-token.ts';

export type HonourDeps = {
  quoteTokens: QuoteTokens;
  tariffs: CurrentTariff;
  countQuotes: CountQuotes;
  localTime: (moment: Date) => string;
};

/** What a guide costs by its quote, in MXN, with what it shows of it. */
export type QuotedAmounts = { freight: number; total: number; quote: QuotedPrice; priced: PricedParcel };

/** The errors of a quote that was once good, or is good for something else; the others are 400. */
const CONFLICTS: ReadonlySet<ErrorCode> = new Set(['quote-expired', 'quote-withdrawn', 'quote-different']);
const COUNTED_AS: Partial<Record<ErrorCode, QuoteResult>> = {
  'quote-invalid': 'invalid',
  'quote-expired': 'expired',
  'quote-withdrawn': 'withdrawn',
  'quote-different': 'different',
};

/**
 * Returns what each guide costs by its quote, or undefined for a guide without one.
 *
 * @throws DomainError `quotes-refused` or `quotes-invalid`, by the first problem, with all problems of all quotes
 * (docs/contract.md "Quotes"); `unavailable` if nobody knows yet which tariffs are withdrawn.
 */
export async function honourQuotes(
  { quoteTokens, tariffs, countQuotes, localTime }: HonourDeps,
  account: string,
  { service, guides }: { service: ServiceType; guides: readonly SentGuide[] },
  { origin, destinations }: GuideBranches,
): Promise<(QuotedAmounts | undefined)[]> {
  const now = tariffs.now();
  const problems: Problem[] = [];
  const amounts = await inTurns(guides, (guide, indice) => {
    if (guide.Cotizacion === undefined) return undefined;
    const offer = quoteTokens.read(account, guide.Cotizacion);
    const ends = { origin, destination: destinations[indice] as Branch };
    const found = offer
      ? problemsOf(offer, { service, guide, ...ends }, { now, tariffs, localTime })
      : [{ campo: 'Cotizacion', code: 'quote-invalid' } as const];
    problems.push(...found.map((problem) => ({ indice, ...problem })));
    const [first] = found;
    if (first) countQuotes(COUNTED_AS[first.code] ?? 'different');
    const priced = offer && { account, parcel: offer.parcel };
    return priced && { ...amountsOf(offer), quote: shownPrice(offer, now, localTime), priced };
  });
  const [first] = problems;
  if (first)
    throw new DomainError(CONFLICTS.has(first.code) ? 'quotes-refused' : 'quotes-invalid', { problems });
  return amounts;
}

/** A guide that is made too late for the quoted days shows none. */
function shownPrice(offer: Offer, now: number, localTime: HonourDeps['localTime']): QuotedPrice {
  const { EntregaEstimada, ...price } = quotedPrice(offer, localTime);
  const inTime = now < offer.delivery.receivedBefore * 1_000;
  return inTime && EntregaEstimada ? { ...price, EntregaEstimada } : price;
}

type Candidate = { service: ServiceType; guide: SentGuide; origin: Branch; destination: Branch };

function problemsOf(
  offer: Offer,
  candidate: Candidate,
  { now, tariffs, localTime }: { now: number } & Pick<HonourDeps, 'tariffs' | 'localTime'>,
): Problem[] {
  if (isExpired(offer, now)) {
    const params = { expired: zonedTime(localTime, offer.expires * 1_000) };
    return [{ campo: 'Cotizacion', code: 'quote-expired', params }];
  }
  if (tariffs.isWithdrawn(offer.tariff.version)) return [{ campo: 'Cotizacion', code: 'quote-withdrawn' }];
  const missing = missingMeasures(candidate.guide);
  if (missing.length > 0) {
    return missing.map((name) => ({ campo: `Producto.${name}`, code: 'field-required' }));
  }
  return differences(offer, candidate);
}

/** Returns a problem for each field by which a guide does not fit in its offer: what it is, and what was quoted. */
function differences(offer: Offer, { service, guide, origin, destination }: Candidate): Problem[] {
  const quoted = offer.parcel;
  const parcel = parcelOf(service, guide as Shipment, { origin, destination });
  const problems: Problem[] = [];
  const add = (campo: string, is: string | number, was: string | number) =>
    problems.push({ campo, code: 'quote-different', params: { is, quoted: was } });
  const same = (campo: string, is: string | number, was: string | number) => {
    if (is !== was) add(campo, is, was);
  };
  const within = (campo: string, is: number, was: number, format: (value: number) => string) => {
    if (is > was) add(campo, format(is), format(was));
  };
  same('SEND_SUCU_ORIG', origin.Codigo, offer.origin);
  same('TipoServicio', service, quoted.service);
  if (service !== quoted.service) return problems;
  if (service === 'Domicilio') {
    const place = guide.Destinatario.CodigoPostal === undefined ? 'DestinoCode' : 'CodigoPostal';
    same(`Destinatario.${place}`, parcel.destination, quoted.destination);
  } else {
    const place = guide.Destinatario.DestinoCode === undefined ? 'CodigoPostal' : 'DestinoCode';
    same(`Destinatario.${place}`, destination.Codigo, offer.destination);
  }
  if (!isQuotedType(parcel.type, quoted.type)) {
    add('Producto.TipoEnvio', `'${parcel.type}'`, quotedTypeWords(quoted.type));
  }
  same('Producto.Paquetes', parcel.packages, quoted.packages);
  within('Producto.Peso', parcel.grams, quoted.grams, formatKilograms);
  for (const [i, name] of sidesOf(guide).entries()) {
    within(`Producto.${name}`, parcel.sides[i] as number, quoted.sides[i] as number, formatCentimetres);
  }
  within('Producto.ValorDeclarado', parcel.declared, quoted.declared, formatPesos);
  return problems;
}

/** Returns the names of the sides by ascending length. */
function sidesOf({ Producto }: SentGuide): ('Largo' | 'Alto' | 'Ancho')[] {
  return (['Largo', 'Alto', 'Ancho'] as const).toSorted(
    (one, other) => (Producto[one] ?? 0) - (Producto[other] ?? 0),
  );
}
