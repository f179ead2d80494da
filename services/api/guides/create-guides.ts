import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Branch, branchCode, pickUpPlace } from '#shared/branches/branch.ts';
import { DomainError, type ProblemList } from '#shared/errors/domain-error.ts';
import type { JournalEntry } from '#shared/guides/creation-model.ts';
import type { Guide, SentGuide } from '#shared/guides/guide.ts';
import type { BranchOfGuide, GuideDocument } from '#shared/guides/guide-model.ts';
import { soughtOf } from '#shared/guides/sought.ts';
import type { DatabaseClock } from '#shared/stores/database-clock.ts';
import { type Caller, LimitReached, type LimitState } from '../accounts/account-limits.ts';
import type { GuideLimit, TakenGuides } from '../accounts/guide-limit.ts';
import { type IdempotencyKey, idempotencyKey } from '../http/idempotency.ts';
import { type Place, warnOfOtherPlaces } from './address-warnings.ts';
import type { CreationJournal } from './creation-journal.ts';
import { generateGuideNumbers } from './guide-number.ts';
import { type GuideRequest, parseGuideRequest, type SentRequest } from './guide-request.ts';
import type { FoundPrice, PricedGuide } from './pricing.ts';
import { type GuideBranches, type GuideDestination, resolveBranches } from './resolve-branches.ts';
import { type ValidationDeps, warnOfAddresses } from './validate-guides.ts';

const DAY_MS = 24 * 3_600_000;
/** How long a guide of a test account is kept, in ms (docs/contract.md "Rehearsal"), and one of the canary, which makes thousands a day. */
const [TEST_KEPT_MS, CANARY_KEPT_MS] = [30 * DAY_MS, DAY_MS];
/** Pauses between the looks for a creation that another request with the same key is about to commit, in ms. */
const PAUSES_MS = [0, 100, 300, 600];

export type CreationDeps = ValidationDeps & {
  journal: CreationJournal;
  guideLimit: GuideLimit;
  databaseClock: DatabaseClock;
  /** Writes a moment as SEND_FECHA shows it. */
  localTime: (moment: Date) => string;
};
export type CreationRequest = SentRequest & {
  /** The client's name for this request; repeated with the same body it creates nothing. */
  idempotencyKey: string | undefined;
};

export type Created = {
  /** In the order of the request. */
  guides: readonly GuideDocument[];
  /** An earlier request with the same key created them. */
  repeated: boolean;
  /** What is left of the day's guides; absent if nothing was counted. */
  limit?: LimitState;
  /** Fields that were left out or do not print whole, addresses that look wrong, and prices that are missing. */
  warnings: ProblemList;
};

/**
 * Creates the guides of one request, all or none.
 *
 * @throws DomainError of the first failed check (docs/contract.md "Guides"); `result-unknown` if the outcome stays
 * unknown.
 */
export async function createGuides(deps: CreationDeps, request: CreationRequest): Promise<Created> {
  const { journal, guideLimit } = deps;
  const { user } = request;
  const parsed = await parseGuideRequest(request.body, request.lenient);
  const { guides: sent, warnings } = parsed;
  await warnOfAddresses(deps.catalogue, parsed);
  const key =
    request.idempotencyKey === undefined
      ? undefined
      : await creationKey(user.username, request.idempotencyKey, parsed);
  // In the order of `validateGuides`: an answer names only the first warnings.
  const warn = (places: readonly (Place | undefined)[], prices: readonly PricedGuide[]) => {
    warnOfOtherPlaces(warnings, parsed.service, sent, places);
    for (const warning of deps.pricing.value.warningsOf(prices, sent)) warnings.add(() => warning);
  };
  const repeated = (stored: readonly GuideDocument[]): Created => {
    warn(stored.map(pricedPlace), stored);
    return { guides: asCreated(stored, sent), repeated: true, warnings };
  };

  const earlier = key && (await journal.find(key));
  if (earlier) return repeated(await journal.complete(earlier));
  const branches = await resolveBranches(deps.branches, parsed, request);
  await deps.collecting.value({ user, guides: sent, destinations: branches.destinations });
  const { unquotedGuides = 'bill' } = user.settings;
  const prices = await deps.pricing.value.priceOf({ user, unquotedGuides, ...parsed, ...branches });
  // It decides in which month the guides are billed, and when they are deleted or anonymised.
  const createdUtc = await deps.databaseClock.now();
  // Taken after all checks: a refused request counts no guides.
  let taken: TakenGuides;
  try {
    taken = await guideLimit.take(user.account, user.settings.guidesPerDay, sent.length);
  } catch (error) {
    // A request with this key may have taken the rest of the day's guides at the same moment: its answer is this one's too.
    const concurrent = key && error instanceof LimitReached && (await findSoon(journal, key));
    if (concurrent) return repeated(await journal.complete(concurrent));
    throw error;
  }
  const guides = newGuides(parsed, branches, prices, user, {
    createdUtc,
    localTime: deps.localTime,
  });
  const created = await journal.create(guides, key).catch(async (error: unknown) => {
    if (!isUnknownResult(error)) await taken.giveBack();
    throw error;
  });
  if (created.repeated) {
    await taken.giveBack();
    return repeated(created.guides);
  }
  deps.pricing.value.created(user, prices, sent);
  warn(branches.destinations, prices);
  return { ...created, limit: taken.state, warnings };
}

/** Returns the key of a request, whose body is compared in the form in which it is stored. A repeated one may have other quotes. */
function creationKey(
  username: string,
  key: string,
  { service, guides }: GuideRequest,
): Promise<IdempotencyKey> {
  const isQuoted = guides.some(({ Cotizacion }) => Cotizacion !== undefined);
  const unquoted = isQuoted ? [service, guides.map(asStored)] : undefined;
  return idempotencyKey('crear', username, key, [service, guides.map(withStoredCode)], unquoted);
}

/** Finds the creation of a concurrent request with the same key, which may be about to commit. */
async function findSoon(journal: CreationJournal, key: IdempotencyKey): Promise<JournalEntry | undefined> {
  for (const pause of PAUSES_MS) {
    await delay(pause);
    const entry = await journal.find(key);
    if (entry) return entry;
  }
  return undefined;
}

/** Returns guides as their creation was answered, even if cancelled or anonymised since. */
function asCreated(stored: readonly GuideDocument[], sent: readonly Guide[]): GuideDocument[] {
  return stored.map((guide, indice) => ({ ...guide, status: 'Documentado', guide: sent[indice] as Guide }));
}

/** Returns where a guide went when its creation priced it. */
function pricedPlace({ destination, priced }: GuideDocument): Place | undefined {
  return priced && { branch: { Codigo: destination.code }, homePostalCode: priced.parcel.destination };
}

function isUnknownResult(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'result-unknown';
}

/** Makes the documents of new guides. */
export function newGuides(
  { service, guides }: Pick<GuideRequest, 'service' | 'guides'>,
  { origin, destinations }: GuideBranches,
  prices: readonly FoundPrice[],
  { username, account, test, canaryOf }: Caller,
  { createdUtc, localTime }: { createdUtc: Date } & Pick<CreationDeps, 'localTime'>,
): GuideDocument[] {
  const creation = randomUUID();
  const createdAt = localTime(createdUtc);
  const numbers = generateGuideNumbers(guides.length, test);
  const keptMs = canaryOf === undefined ? TEST_KEPT_MS : CANARY_KEPT_MS;
  const expiry = test && { expiresAt: new Date(createdUtc.getTime() + keptMs) };
  return guides.map((guide, indice) => {
    const { branch: destination, route } = destinations[indice] as GuideDestination;
    return {
      _id: numbers[indice] as string,
      creation,
      username,
      account,
      createdAt,
      createdUtc,
      status: 'Documentado',
      service,
      origin: branchOfGuide(origin),
      destination: branchOfGuide(destination),
      ...(route && { route }),
      ...(service !== 'Domicilio' && { pickUp: pickUpPlace(destination) }),
      ...(prices[indice] ?? { freight: 0, total: 0 }),
      guide: asStored(guide),
      sought: soughtOf(guide.Destinatario),
      ...expiry,
    };
  });
}

function branchOfGuide({ Codigo, Nombre }: Branch): BranchOfGuide {
  return { code: Codigo, name: Nombre };
}

/** A quote is not stored, but what it says. */
function asStored({ Cotizacion: _, ...guide }: SentGuide): Guide {
  return withStoredCode(guide);
}

function withStoredCode<G extends Guide>(guide: G): G {
  const { DestinoCode, ...recipient } = guide.Destinatario;
  const code = DestinoCode && branchCode(DestinoCode);
  if (code === undefined || code === DestinoCode) return guide;
  return { ...guide, Destinatario: { ...recipient, DestinoCode: code } };
}
