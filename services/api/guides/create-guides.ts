import { randomUUID } from 'node:crypto';
import { type Branch, branchCode, type DestinationQuery } from '#shared/contracts/branch.ts';
import type { Guide, ServiceType } from '#shared/contracts/guide.ts';
import { digest } from '#shared/digest.ts';
import { DomainError, type Problem } from '#shared/errors.ts';
import type { BranchesClient } from '../branches/branches-client.ts';
import type { Caller, QuotaState } from '../quotas/account-limits.ts';
import { generateGuideNumber, generateGuideNumbers } from './guide-number.ts';
import type { GuideQuota, TakenGuides } from './guide-quota.ts';
import { parseGuideRequest } from './guide-request.ts';
import type { BranchOfGuide, GuideRecord, GuideStore } from './guide-store.ts';
import type { CreationPlan, IdempotencyStore } from './idempotency-store.ts';

/** Rounds of new numbers. A number is taken once in 10^11 for each stored guide, so a second round is rare. */
const MAX_ROUNDS = 5;

export type CreationDeps = {
  guides: GuideStore;
  keys: IdempotencyStore;
  branches: BranchesClient;
  quota: GuideQuota;
  /** Writes a moment as SEND_FECHA shows it. */
  localTime: (moment: Date) => string;
};
export type CreationRequest = {
  /** Parsed JSON of any shape. */
  body: unknown;
  user: Caller;
  requestId: string;
  /** The caller's own name for this request; repeated with the same body it creates nothing. */
  idempotencyKey: string | undefined;
  /** Is told how much of the day's quota is left; not where nothing was counted. */
  onQuota: (state: QuotaState) => void;
};

/**
 * Creates the guides of one request, all or none.
 *
 * @throws DomainError of the first check that fails (docs/contract.md "Guides").
 */
export async function createGuides(deps: CreationDeps, request: CreationRequest): Promise<GuideRecord[]> {
  const { user, idempotencyKey } = request;
  const { service, guides } = parseGuideRequest(request.body);
  let taken: Promise<TakenGuides> | undefined;
  const giveBack = async () => (await taken)?.giveBack();
  const fail = async (error: unknown): Promise<never> => {
    await giveBack();
    throw error;
  };
  const makePlan = async (): Promise<CreationPlan> => {
    // Counted while the branches are looked up, so that it takes no time of its own.
    taken = deps.quota.take(user.account, user.limits.guidesPerDay, guides.length);
    const branches = await resolveBranches(deps.branches, guides, request);
    requireGranted(await taken, request.onQuota);
    const now = new Date();
    return {
      ...branches,
      creation: randomUUID(),
      createdAt: deps.localTime(now),
      createdUtc: now,
      numbers: generateGuideNumbers(guides.length),
    };
  };
  const createOnce = async () => {
    const records = toRecords(await makePlan(), user, service, guides);
    await storeAll(deps.guides, records, records, async () => {});
    return records;
  };
  if (idempotencyKey === undefined) return createOnce().catch(fail);
  const key = digest(JSON.stringify([user.username, idempotencyKey]));
  const bodyHash = digest(JSON.stringify([service, guides]));
  // Once a plan is stored its guides stay counted: a repetition completes them, and is not counted again.
  const { plan, repeated } = await deps.keys.reserve(key, bodyHash, makePlan).catch(fail);
  if (repeated) await giveBack();
  const records = toRecords(plan, user, service, guides);
  const missing = repeated ? await deps.guides.findMissing(records) : records;
  await storeAll(deps.guides, records, missing, (taken, fresh) => deps.keys.renumber(key, taken, fresh));
  return records;
}

/** @throws DomainError `too-many-guides-today` where the day's quota does not allow the guides, with the seconds left. */
function requireGranted({ granted, state }: TakenGuides, onQuota: CreationRequest['onQuota']): void {
  onQuota(state);
  if (!granted) throw new DomainError('too-many-guides-today', { params: { seconds: state.resetS } });
}

/**
 * Stores the records that are missing. A record whose number is another guide's gets a new number, in place, which
 * `renumbered` is told before it is used.
 *
 * @param records all of the creation, so that a new number is none of theirs.
 */
async function storeAll(
  guides: GuideStore,
  records: readonly GuideRecord[],
  missing: GuideRecord[],
  renumbered: (taken: string, fresh: string) => Promise<void>,
): Promise<void> {
  const used = new Set(records.map(({ number }) => number));
  for (let round = 0; round < MAX_ROUNDS && missing.length > 0; round++) {
    const refused = await guides.insert(missing);
    missing = refused.length > 0 ? await guides.findMissing(refused) : [];
    for (const record of missing) {
      let fresh = generateGuideNumber();
      while (used.has(fresh)) fresh = generateGuideNumber();
      used.add(fresh);
      await renumbered(record.number, fresh);
      record.number = fresh;
    }
  }
  if (missing.length > 0) throw new DomainError('internal');
}

/** Asks the branches service where the guides of one request start and end. */
async function resolveBranches(
  branches: BranchesClient,
  guides: Guide[],
  { user: { originBranch }, requestId }: CreationRequest,
): Promise<{ origin: BranchOfGuide; destinations: BranchOfGuide[] }> {
  if (originBranch === null) throw new DomainError('origin-unassigned');
  const queries = guides.map(({ Destinatario }) => toQuery(Destinatario));
  const answer = await branches.resolve({ origin: originBranch, destinations: queries }, requestId);
  if (!answer.origin) throw new DomainError('origin-inactive');
  const problems: Problem[] = [];
  const destinations = queries.flatMap((query, indice) => {
    const branch = answer.destinations[indice];
    if (!branch) problems.push({ indice, ...unresolved(query) });
    return branch ? [onGuide(branch)] : [];
  });
  if (problems.length > 0) throw new DomainError('guides-invalid', { problems });
  return { origin: onGuide(answer.origin), destinations };
}

/** Returns how the destination is named; DestinoCode decides when both fields are given (docs/contract.md "Guides"). */
function toQuery({ DestinoCode, CodigoPostal = '' }: Guide['Destinatario']): DestinationQuery {
  return DestinoCode === undefined ? { postalCode: CodigoPostal } : { code: branchCode(DestinoCode) };
}

function unresolved(query: DestinationQuery): Problem {
  return 'postalCode' in query
    ? { campo: 'Destinatario.CodigoPostal', code: 'postal-code-uncovered', params: query }
    : { campo: 'Destinatario.DestinoCode', code: 'destination-invalid' };
}

function onGuide({ Codigo, Nombre }: Branch): BranchOfGuide {
  return { code: Codigo, name: Nombre };
}

/** Makes the same records from the same plan and body, so that a repetition need not read them back. */
function toRecords(plan: CreationPlan, user: Caller, service: ServiceType, guides: Guide[]): GuideRecord[] {
  return guides.map((guide, indice) => ({
    number: plan.numbers[indice] as string,
    creation: plan.creation,
    username: user.username,
    account: user.account,
    createdAt: plan.createdAt,
    ...(plan.createdUtc && { createdUtc: plan.createdUtc }),
    status: 'Documentado',
    service,
    origin: plan.origin,
    destination: plan.destinations[indice] as BranchOfGuide,
    freight: 0,
    total: 0,
    guide: withStoredCode(guide),
  }));
}

/** Returns the guide with its code in upper case, as codes are stored (docs/contract.md "Guides"). */
function withStoredCode(guide: Guide): Guide {
  const { DestinoCode, ...recipient } = guide.Destinatario;
  if (DestinoCode === undefined) return guide;
  return { ...guide, Destinatario: { ...recipient, DestinoCode: branchCode(DestinoCode) } };
}
