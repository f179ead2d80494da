import { inTurns } from '#shared/async/in-turns.ts';
import { DomainError, type ErrorCode, type Problem } from '#shared/errors/domain-error.ts';
import type { SentGuide, ServiceType } from '#shared/guides/guide.ts';
import type { GuidePrice, Parcel } from '#shared/guides/guide-price.ts';
import type { Shipment } from '../guides/guide-request.ts';
import type { PriceRequest } from '../guides/pricing.ts';
import type { GuideDestination } from '../guides/resolve-branches.ts';
import { formatCentimetres, formatKilograms, formatPesos, toPesos } from '../platform/amounts.ts';
import { zonedTime } from '../platform/local-time.ts';
import { type Ends, missingMeasures, parcelOf, placeField } from './parcel.ts';
import { isExpired, type Quote, toPriceFields } from './quote.ts';
import type { CountQuotes, QuoteResult } from './quote-metrics.ts';
import type { QuoteTokens } from './quote-token.ts';
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
 * Returns what each guide costs by its quote, or undefined for a guide without one; `refuse` refuses such a guide.
 *
 * @throws DomainError `quotes-invalid`, also for a missing quote, or `quotes-refused`, by the first problem, with all problems of
 * all guides (docs/contract.md "Quotes"); `unavailable` if nobody knows yet which tariffs are withdrawn.
 */
export async function honourQuotes(
  { quoteTokens, tariffs, countQuotes, localTime }: HonourDeps,
  { user, service, guides, origin, destinations, unquotedGuides }: PriceRequest,
): Promise<(GuidePrice | undefined)[]> {
  const { account } = user;
  const now = tariffs.now();
  const problems: Problem[] = [];
  const prices = await inTurns(guides, (guide, indice) => {
    if (guide.Cotizacion === undefined) {
      if (unquotedGuides !== 'refuse') return undefined;
      problems.push({ indice, campo: 'Cotizacion', code: 'quote-missing' });
      countQuotes(user, 'missing');
      return undefined;
    }
    const quote = quoteTokens.read(account, guide.Cotizacion);
    const ends = { origin, destination: destinations[indice] as GuideDestination };
    const found = quote
      ? problemsOf(quote, { service, guide, ...ends }, { now, tariffs, localTime })
      : [{ campo: 'Cotizacion', code: 'quote-invalid' } as const];
    problems.push(...found.map((problem) => ({ indice, ...problem })));
    const [first] = found;
    if (first) countQuotes(user, COUNTED_AS[first.code] ?? 'different');
    return quote && toGuidePrice(quote, account, now, localTime);
  });
  const [first] = problems;
  if (first)
    throw new DomainError(CONFLICTS.has(first.code) ? 'quotes-refused' : 'quotes-invalid', { problems });
  return prices;
}

/** Returns what a guide that is created now keeps of its quote. */
export function toGuidePrice(
  quote: Quote,
  account: string,
  now: number,
  localTime: HonourDeps['localTime'],
): GuidePrice {
  return {
    ...{ freight: toPesos(quote.freight), total: toPesos(quote.total) },
    quote: shownPrice(quote, now, localTime),
    priced: { account, parcel: quote.parcel },
  };
}

/** A guide that is made too late for the quoted days shows none. */
function shownPrice(quote: Quote, now: number, localTime: HonourDeps['localTime']): GuidePrice['quote'] {
  const { EntregaEstimada, ...price } = toPriceFields(quote, localTime);
  const inTime = now < quote.delivery.receivedBefore * 1_000;
  return inTime ? { ...price, EntregaEstimada } : price;
}

type Candidate = Ends & { service: ServiceType; guide: SentGuide };

function problemsOf(
  quote: Quote,
  candidate: Candidate,
  { now, tariffs, localTime }: { now: number } & Pick<HonourDeps, 'tariffs' | 'localTime'>,
): Problem[] {
  if (isExpired(quote, now)) {
    const params = { expired: zonedTime(localTime, quote.expires * 1_000) };
    return [{ campo: 'Cotizacion', code: 'quote-expired', params }];
  }
  if (tariffs.isWithdrawn(quote.version)) return [{ campo: 'Cotizacion', code: 'quote-withdrawn' }];
  const missing = missingMeasures(candidate.guide);
  if (missing.length > 0) {
    return missing.map((name) => ({ campo: `Producto.${name}`, code: 'field-required' }));
  }
  return differences(quote, candidate);
}

/** A candidate beside what was quoted. `parcel`: what would be priced of the candidate. */
type Comparison = Candidate & { quote: Quote; parcel: Parcel };

/**
 * The problems of each field of a parcel by which a guide does not fit in its quote: what it is, and what was quoted. In the
 * order of answers; a further field of `Parcel` does not compile without its line.
 */
const COMPARED: { [Field in keyof Parcel]-?: (compared: Comparison) => Problem[] } = {
  // A branch has one postal code.
  origin: ({ origin, quote }) => same('SEND_SUCU_ORIG', origin.Codigo, quote.origin),
  service: ({ service, quote }) => same('TipoServicio', service, quote.parcel.service),
  destination: ({ service, guide, destination, parcel, quote }) => {
    const { Destinatario } = guide;
    if (service === 'Domicilio') {
      const campo = placeField(Destinatario, parcel.destination);
      return same(campo, parcel.destination, quote.parcel.destination);
    }
    const place = Destinatario.DestinoCode === undefined ? 'CodigoPostal' : 'DestinoCode';
    return same(`Destinatario.${place}`, destination.branch.Codigo, quote.destination);
  },
  // Prices compare it without case too.
  type: ({ parcel: { type }, quote }) =>
    type.toLowerCase() === quote.parcel.type.toLowerCase()
      ? []
      : [different('Producto.TipoEnvio', `'${type}'`, `'${quote.parcel.type}'`)],
  packages: ({ parcel, quote }) => same('Producto.Paquetes', parcel.packages, quote.parcel.packages),
  grams: ({ parcel, quote }) => within('Producto.Peso', parcel.grams, quote.parcel.grams, formatKilograms),
  sides: ({ guide, parcel, quote }) =>
    sidesOf(guide).flatMap((name, i) =>
      within(
        `Producto.${name}`,
        parcel.sides[i] as number,
        quote.parcel.sides[i] as number,
        formatCentimetres,
      ),
    ),
  declared: ({ parcel, quote }) =>
    within('Producto.ValorDeclarado', parcel.declared, quote.parcel.declared, formatPesos),
  cod: ({ parcel: { cod = 0 }, quote }) => within('Cobro.Monto', cod, quote.parcel.cod ?? 0, formatPesos),
};

function differences(quote: Quote, candidate: Candidate): Problem[] {
  const { service, guide, origin, destination } = candidate;
  const parcel = parcelOf(service, guide as Shipment, { origin, destination });
  const compared = { ...candidate, quote, parcel };
  // What another service asks of a guide says nothing of this one.
  const fields =
    service === quote.parcel.service ? Object.values(COMPARED) : [COMPARED.origin, COMPARED.service];
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
