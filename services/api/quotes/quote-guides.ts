import { inTurns } from '#shared/async/in-turns.ts';
import { DomainError, type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { SERVICE_TYPES, type ServiceType } from '#shared/guides/guide.ts';
import type { BranchesClient } from '../branches/branches-client.ts';
import { warnOfOtherPlaces, warnOfOtherStates } from '../guides/address-warnings.ts';
import { parseQuoteRequest, type SentRequest, type Shipment } from '../guides/guide-request.ts';
import { type GuideDestination, resolveBranches } from '../guides/resolve-branches.ts';
import { type Ends, parcelOf, placeField } from './parcel.ts';
import { type Quote, type QuoteBasis, quoteParcel } from './quote.ts';
import type { CountQuotes } from './quote-metrics.ts';
import type { CurrentTariff } from './tariffs/current-tariff.ts';
import { describeNoPrice, type NoPrice } from './tariffs/price.ts';

export type QuoteDeps = {
  branches: BranchesClient;
  tariffs: CurrentTariff;
  countQuotes: CountQuotes;
  localTime: QuoteBasis['localTime'];
};

/** The quotes of one guide, one of each service that has a price. */
type QuotedGuide = Ends & { quotes: Quote[] };
/** What is quoted, and between which places. */
export type Placed = Ends & { guide: Shipment };

/**
 * Quotes the guides of a request by the tariff that is in force, all or none.
 *
 * @throws DomainError of the first failed check (docs/contract.md "Quotes").
 */
export async function quoteGuides(
  { branches, tariffs, countQuotes, localTime }: QuoteDeps,
  request: SentRequest,
): Promise<{ guides: QuotedGuide[]; warnings: ProblemList }> {
  const { service, guides, warnings } = await parseQuoteRequest(request.body, request.lenient);
  warnOfOtherStates(warnings, guides);
  const { origin, destinations } = await resolveBranches(branches, { service, guides }, request);
  warnOfOtherPlaces(warnings, service, guides, destinations);
  const placed = guides.map((guide, indice) => ({
    ...{ guide, origin },
    destination: destinations[indice] as GuideDestination,
  }));
  const deps = { tariffs, countQuotes, localTime };
  return {
    guides: await quotePlaced(deps, request.user, service ? [service] : SERVICE_TYPES, placed),
    warnings,
  };
}

/**
 * Quotes guides whose places are known, all or none.
 *
 * @throws DomainError `no-tariff`, or `prices-missing` with the guides that have no price.
 */
export async function quotePlaced(
  { tariffs, countQuotes, localTime }: Omit<QuoteDeps, 'branches'>,
  user: SentRequest['user'],
  services: readonly ServiceType[],
  guides: readonly Placed[],
): Promise<QuotedGuide[]> {
  const now = tariffs.now();
  const tariff = tariffs.at(now);
  if (!tariff) throw new DomainError('no-tariff');
  const basis: QuoteBasis = { tariff, account: user.account, now, localTime };
  const problems = new ProblemList();
  const quoted = await inTurns(guides, ({ guide, origin, destination }, indice) => {
    const ends = { origin, destination };
    const codes = { origin: origin.Codigo, destination: destination.branch.Codigo };
    const answers = services.map((service) => quoteParcel(basis, parcelOf(service, guide, ends), codes));
    const quotes = answers.filter((answer): answer is Quote => !('reason' in answer));
    const [refused] = answers.filter((answer) => 'reason' in answer);
    if (quotes.length === 0 && refused) {
      const problem = noPrice(refused, guide);
      countQuotes(user, problem.code === 'parcel-too-large' ? 'too_large' : 'no_tariff');
      problems.add(() => ({ indice, ...problem }));
    }
    return { ...ends, quotes };
  });
  problems.throwIfAny('prices-missing');
  countQuotes(user, 'offered', guides.length);
  return quoted;
}

/** Blames the field that has no price; the origin is not a field of the guide. */
function noPrice(answer: NoPrice, { Destinatario }: Shipment): Problem {
  const params = { explanation: describeNoPrice(answer) };
  switch (answer.reason) {
    case 'too-heavy':
      return { campo: 'Producto.Peso', code: 'parcel-too-large', params };
    case 'too-long':
      return { campo: 'Producto.Largo', code: 'parcel-too-large', params };
    case 'no-group':
      return answer.end === 'origin'
        ? { code: 'no-tariff', params }
        : { campo: placeField(Destinatario, answer.postalCode), code: 'no-tariff', params };
    case 'no-price':
      return { campo: 'TipoServicio', code: 'no-tariff', params };
  }
}
