import { inTurns } from '#shared/async/in-turns.ts';
import type { Branch } from '#shared/branches/branch.ts';
import { DomainError, type ErrorCode, type Problem } from '#shared/errors/domain-error.ts';
import type { SentGuide, ServiceType } from '#shared/guides/guide.ts';
import type { Parcel, QuotedPrice } from '#shared/guides/quoted-price.ts';
import type { Shipment } from '../guides/guide-request.ts';
import type { GuidePrice, PriceRequest } from '../guides/pricing.ts';
import { formatCentimetres, formatKilograms, formatPesos } from '../platform/amounts.ts';
import { zonedTime } from '../platform/local-time.ts';
import { amountsOf, missingMeasures, type Offer, parcelOf, quotedPrice } from './offer.ts';
import type { CountQuotes, QuoteResult } from './quote-metrics.ts';
import { isExpired, type QuoteTokens } from './quote-token.ts';
import type { CurrentTariff } from './tariffs/current-tariff.ts';

export type HonourDeps = {
  quoteTokens: QuoteTokens;
  tariffs: CurrentTariff;
  countQuotes: CountQuotes;
  localTime: (moment: Date) => string;
};

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
  { account, service, guides, origin, destinations }: PriceRequest,
): Promise<(GuidePrice | undefined)[]> {
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

/** A candidate beside what was quoted. `parcel`: what would be priced of the candidate. */
type Comparison = Candidate & { offer: Offer; parcel: Parcel };

/**
 * The problems of each field of a parcel by which a guide does not fit in its offer: what it is, and what was quoted. In the
 * order of answers; a further field of `Parcel` does not compile without its line.
 */
const COMPARED: { [Field in keyof Parcel]: (compared: Comparison) => Problem[] } = {
  // A branch has one postal code.
  origin: ({ origin, offer }) => same('SEND_SUCU_ORIG', origin.Codigo, offer.origin),
  service: ({ service, offer }) => same('TipoServicio', service, offer.parcel.service),
  destination: ({ service, guide, destination, parcel, offer }) => {
    const { CodigoPostal, DestinoCode } = guide.Destinatario;
    if (service === 'Domicilio') {
      const place = CodigoPostal === undefined ? 'DestinoCode' : 'CodigoPostal';
      return same(`Destinatario.${place}`, parcel.destination, offer.parcel.destination);
    }
    const place = DestinoCode === undefined ? 'CodigoPostal' : 'DestinoCode';
    return same(`Destinatario.${place}`, destination.Codigo, offer.destination);
  },
  // Prices compare it without case too.
  type: ({ parcel: { type }, offer }) =>
    type.toLowerCase() === offer.parcel.type.toLowerCase()
      ? []
      : [different('Producto.TipoEnvio', `'${type}'`, `'${offer.parcel.type}'`)],
  packages: ({ parcel, offer }) => same('Producto.Paquetes', parcel.packages, offer.parcel.packages),
  grams: ({ parcel, offer }) => within('Producto.Peso', parcel.grams, offer.parcel.grams, formatKilograms),
  sides: ({ guide, parcel, offer }) =>
    sidesOf(guide).flatMap((name, i) =>
      within(
        `Producto.${name}`,
        parcel.sides[i] as number,
        offer.parcel.sides[i] as number,
        formatCentimetres,
      ),
    ),
  declared: ({ parcel, offer }) =>
    within('Producto.ValorDeclarado', parcel.declared, offer.parcel.declared, formatPesos),
};

function differences(offer: Offer, candidate: Candidate): Problem[] {
  const { service, guide, origin, destination } = candidate;
  const parcel = parcelOf(service, guide as Shipment, { origin, destination });
  const compared = { ...candidate, offer, parcel };
  // What another service asks of a guide says nothing of this one.
  const fields =
    service === offer.parcel.service ? Object.values(COMPARED) : [COMPARED.origin, COMPARED.service];
  return fields.flatMap((problemsOf) => problemsOf(compared));
}

function different(campo: string, is: string | number, quoted: string | number): Problem {
  return { campo, code: 'quote-different', params: { is, quoted } };
}

function same(campo: string, is: string | number, quoted: string | number): Problem[] {
  return is === quoted ? [] : [different(campo, is, quoted)];
}

function within(campo: string, is: number, quoted: number, format: (value: number) => string): Problem[] {
  return is > quoted ? [different(campo, format(is), format(quoted))] : [];
}

/** Returns the names of the sides by ascending length. */
function sidesOf({ Producto }: SentGuide): ('Largo' | 'Alto' | 'Ancho')[] {
  return (['Largo', 'Alto', 'Ancho'] as const).toSorted(
    (one, other) => (Producto[one] ?? 0) - (Producto[other] ?? 0),
  );
}
