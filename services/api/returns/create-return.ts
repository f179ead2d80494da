import { randomUUID } from 'node:crypto';
import { DomainError, ProblemList } from '#shared/errors/domain-error.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { Return } from '#shared/returns/return-model.ts';
import type { DatabaseClock } from '#shared/stores/database-clock.ts';
import type { Caller, LimitState } from '../accounts/account-limits.ts';
import type { GuideLimit } from '../accounts/guide-limit.ts';
import type { BranchesClient } from '../branches/branches-client.ts';
import { newGuides } from '../guides/create-guides.ts';
import type { CreationJournal } from '../guides/creation-journal.ts';
import { findGuide } from '../guides/guide-access.ts';
import { normalizeGuides } from '../guides/guide-request.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import type { FoundPrice, Pricing } from '../guides/pricing.ts';
import { fieldError } from '../http/body.ts';
import { type IdempotencyKey, idempotencyKey } from '../http/idempotency.ts';
import type { Port } from '../platform/port.ts';
import { type Lookups, planReturn, type ReturnPlan, refusalOf } from './plan-return.ts';
import { parseReturnRequest, type ReturnRequest } from './return-request.ts';
import { factsOf, type ReturnStore } from './return-store.ts';

export type ReturnDeps = {
  returns: ReturnStore;
  guides: GuideStore;
  journal: CreationJournal;
  branches: BranchesClient;
  pricing: Port<Pricing>;
  guideLimit: GuideLimit;
  databaseClock: DatabaseClock;
  localTime: (moment: Date) => string;
  /** @throws DomainError if a process would print a label without its marks. */
  requireMarks: () => Promise<void>;
};
/** `number` is that of the original. */
export type ReturnAsked = {
  number: string;
  body: unknown;
  user: Caller;
  idempotencyKey?: string | undefined;
  requestId: string;
  signal: AbortSignal;
};
export type CreatedReturn = {
  guide: GuideDocument;
  /** An earlier request with the same key created it. */
  repeated: boolean;
  limit?: LimitState;
  warnings: ProblemList;
};

/**
 * Creates the guide by which the parcel of another one goes back. Of concurrent requests one creates it.
 *
 * @throws DomainError `return-exists` with its number; of the first check that fails; `return-unknown` if nobody can know in time
 * whether it exists.
 */
export async function createReturn(deps: ReturnDeps, asked: ReturnAsked): Promise<CreatedReturn> {
  const { pricing, guideLimit } = deps;
  const { user } = asked;
  const request = parseReturnRequest(asked.body);
  const original = await findOriginal(deps.guides, asked.number, user);
  const bodyHash = await nameOf(asked, request);
  const made = asked.idempotencyKey === undefined ? undefined : await madeBy(deps, bodyHash, original);
  if (made) return { guide: made, repeated: true, warnings: new ProblemList() };

  const earlier = await cancelledReturns(deps, original);
  const refusal = refusalOf(original, request);
  if (refusal) throw refusal;
  await deps.requireMarks();
  const { plan, warnings } = await planned(deps, original, request, asked);
  const price = await priceOf(deps, user, plan);
  for (const warning of pricing.value.warningsOf([price], [plan.guide])) warnings.add(() => warning);
  const record = await newReturn(deps, user, { original, request, plan, price });
  // Taken after all checks: a refused request counts no guides.
  const taken = await guideLimit.take(user.account, user.settings.guidesPerDay, 1);
  // One return only can have this id, which is no Idempotency-Key: those are hashes.
  const name = { id: `devolucion ${original._id} ${earlier.length}`, bodyHash };
  const { guide, repeated } = await commit(deps, record, name).catch(async (error: unknown) => {
    if (!isUnknown(error)) await taken.giveBack();
    throw error;
  });
  if (repeated) await taken.giveBack();
  else pricing.value.created(user, [price], [plan.guide]);
  return { guide, repeated, limit: taken.state, warnings };
}

/** Returns what stands for a request: the same for a repeated one with its key; without a key each request is one of its own. */
async function nameOf(
  { number, user, idempotencyKey: key = randomUUID() }: ReturnAsked,
  request: ReturnRequest,
): Promise<string> {
  const { id, bodyHash } = await idempotencyKey('devolucion', user.username, `${number} ${key}`, request);
  return `${id} ${bodyHash}`;
}

/** Returns the return that a request has made before, as it was answered. */
async function madeBy(
  { returns, guides }: ReturnDeps,
  request: string,
  { _id }: GuideDocument,
): Promise<GuideDocument | undefined> {
  const made = await returns.madeBy(request, _id);
  const guide = made && (await guides.find(made._id));
  return guide && { ...guide, status: 'Documentado' };
}

/** Returns the returns that a guide has had. @throws DomainError `return-exists` if one is not cancelled. */
async function cancelledReturns(
  { returns, guides }: ReturnDeps,
  { _id }: GuideDocument,
): Promise<readonly Return[]> {
  const earlier = await returns.ofGuide(_id);
  const found = await Promise.all(earlier.map((each) => guides.find(each._id)));
  const open = found.find((guide) => guide && guide.status !== 'Cancelado');
  if (open) throw existing(open._id);
  return earlier;
}

/** Returns the price of a return: it has one whatever its account does with guides without a quote. */
async function priceOf(
  { pricing }: ReturnDeps,
  user: Caller,
  { service, guide, origin, destination }: ReturnPlan,
): Promise<FoundPrice> {
  const [price] = await pricing.value.priceOf({
    ...{ user, unquotedGuides: 'price', service, guides: [guide] },
    ...{ origin, destinations: [destination] },
  });
  return price;
}

type Draft = { original: GuideDocument; request: ReturnRequest; plan: ReturnPlan; price: FoundPrice };

/** Makes the document of a return. */
async function newReturn(
  { databaseClock, localTime }: ReturnDeps,
  user: Caller,
  { original, request: { Anticipada, Motivo }, plan, price }: Draft,
): Promise<GuideDocument> {
  const [guide] = newGuides(
    { service: plan.service, guides: [plan.guide] },
    { origin: plan.origin, destinations: [plan.destination] },
    [price],
    user,
    { createdUtc: await databaseClock.now(), localTime },
  );
  const facts = factsOf(original._id, {
    ...(Anticipada && { Anticipada }),
    ...(Motivo !== undefined && { MotivoDevolucion: Motivo }),
  });
  return { ...(guide as GuideDocument), facts, billed: 'first-event' };
}

/**
 * Stores a return under its name.
 *
 * @throws DomainError `return-exists` if another request was first; `return-unknown` if nobody can know in time whether it exists.
 */
async function commit(
  { journal }: ReturnDeps,
  record: GuideDocument,
  name: IdempotencyKey,
): Promise<{ guide: GuideDocument; repeated: boolean }> {
  try {
    const { guides, repeated } = await journal.create([record], name);
    return { guide: guides[0] as GuideDocument, repeated };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === 'result-unknown') throw new DomainError('return-unknown', { cause: error.cause });
    if (error.code !== 'idempotency-key-reused') throw error;
  }
  const other = await journal.committed(name.id);
  // Its number may still change until its guide is stored.
  const [first] = other ? await journal.complete(other).catch(() => []) : [];
  throw first ? existing(first._id) : new DomainError('unavailable');
}

function isUnknown(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'return-unknown';
}

/** Plans the return of a guide without creating it. @throws DomainError of the first check that fails. */
export async function planOf(
  deps: Pick<ReturnDeps, 'guides' | 'branches'>,
  asked: ReturnAsked,
): Promise<{ plan: ReturnPlan; warnings: ProblemList }> {
  const request = parseReturnRequest(asked.body, { quote: true });
  const original = await findOriginal(deps.guides, asked.number, asked.user);
  // A price may be asked for before the parcel has arrived.
  const refusal = refusalOf(original, { ...request, Anticipada: true });
  if (refusal) throw refusal;
  return planned(deps, original, request, asked);
}

/** As in `cancelGuide`, `guias.read.all` is not enough. A test account returns no real guides, even if it once had some. */
async function findOriginal(guides: GuideStore, number: string, user: Caller): Promise<GuideDocument> {
  const own = isTestNumber(number) === user.test ? number : '';
  return findGuide(guides, own, { ...user, permissions: [] });
}

async function planned(
  { branches }: Pick<ReturnDeps, 'branches'>,
  original: GuideDocument,
  request: ReturnRequest,
  { user: { account }, requestId, signal }: ReturnAsked,
): Promise<{ plan: ReturnPlan; warnings: ProblemList }> {
  const lookups: Lookups = {
    active: async (code) => (await branches.active(requestId)).find(({ Codigo }) => Codigo === code),
    destination: (query) => branches.destination(query, { requestId, account, signal }),
  };
  const plan = await planReturn(original, request, lookups);
  const warnings = new ProblemList();
  await normalizeGuides({ guides: [plan.guide], warnings });
  return { plan, warnings };
}

function existing(guide: string): DomainError {
  return fieldError('guia', 'return-exists', { guide });
}
