import { randomUUID } from 'node:crypto';
import { branchCode } from '#shared/contracts/branch.ts';
import type { Guide, ServiceType } from '#shared/contracts/guide.ts';
import { DomainError } from '#shared/errors.ts';
import type { BranchesClient } from '../branches/branches-client.ts';
import type { Caller, QuotaState } from '../quotas/account-limits.ts';
import { storeCreation } from './creations/store-creation.ts';
import { generateGuideNumbers } from './guide-number.ts';
import type { GuideQuota, TakenGuides } from './guide-quota.ts';
import type { BranchOfGuide, GuideRecord, GuideStore } from './guide-store.ts';
import { hashBody, keyId } from './idempotency-key.ts';
import type { CreationPlan, IdempotencyStore } from './idempotency-store.ts';
import { parseGuideRequest } from './request/guide-request.ts';
import type { ProblemList } from './request/problem-list.ts';
import { resolveBranches } from './request/resolve-branches.ts';

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
  /** Leaves unknown fields out in place of refusing them. */
  lenient: boolean;
  user: Caller;
  requestId: string;
  /** The caller's own name for this request; repeated with the same body it creates nothing. */
  idempotencyKey: string | undefined;
  /** Is told how much of the day's quota is left; not where nothing was counted. */
  onQuota: (state: QuotaState) => void;
  /** Is told what is no reason to refuse the guides, and may not be what the client means. */
  onWarnings: (warnings: ProblemList) => void;
};

/** Guides that exist, and whether an earlier request with the same key had made them. */
export type Created = { guides: GuideRecord[]; repeated: boolean };

/**
 * Creates the guides of one request, all or none.
 *
 * @throws DomainError of the first check that fails (docs/contract.md "Guides"); `result-unknown` where nobody can know in
 * time whether the guides exist.
 */
export async function createGuides(deps: CreationDeps, request: CreationRequest): Promise<Created> {
  const { user, idempotencyKey } = request;
  const { service, guides, warnings } = parseGuideRequest(request.body, request.lenient);
  request.onWarnings(warnings);
  let taken: Promise<TakenGuides> | undefined;
  const giveBack = async () => (await taken)?.giveBack();
  const makePlan = async (): Promise<CreationPlan> => {
    // Counted while the branches are looked up, so that it takes no time of its own.
    taken = deps.quota.take(user.account, user.limits.guidesPerDay, guides.length);
    const branches = await resolveBranches(deps.branches, guides, request);
    requireGranted(await taken, request.onQuota);
    const now = new Date();
    return {
      ...branches,
      ...newNumbers(guides.length),
      createdAt: deps.localTime(now),
      createdUtc: now,
    };
  };
  const toGuides = (plan: CreationPlan) => toRecords(plan, user, service, guides);
  const orGiveBack = async <T>(work: Promise<T>): Promise<T> =>
    work.catch(async (error: unknown) => {
      if (!isUnknownResult(error)) await giveBack();
      throw error;
    });
  if (idempotencyKey === undefined) {
    return { guides: await orGiveBack(createOnce(deps, makePlan, toGuides)), repeated: false };
  }
  const key = keyId(user.username, idempotencyKey);
  const hashes = hashBody([service, guides]);
  // Once a plan is stored its guides stay counted: a repetition completes them, and is not counted again.
  const { plan, repeated } = await orGiveBack(deps.keys.reserve(key, hashes, makePlan));
  if (repeated) await giveBack();
  return createPlanned(deps, key, plan, repeated, toGuides);
}

async function createOnce(
  { guides }: CreationDeps,
  makePlan: () => Promise<CreationPlan>,
  toGuides: (plan: CreationPlan) => GuideRecord[],
): Promise<GuideRecord[]> {
  const records = toGuides(await makePlan());
  if ((await storeCreation(records, { guides })) === 'aborted') throw new DomainError('unavailable');
  return records;
}

/** Creates the guides of a plan, or finds them. A creation that a crash had cut, and the sweep removed, begins anew. */
async function createPlanned(
  { guides, keys }: CreationDeps,
  key: string,
  plan: CreationPlan,
  repeated: boolean,
  toGuides: (plan: CreationPlan) => GuideRecord[],
): Promise<Created> {
  const renumbered = (taken: string, fresh: string) => keys.renumber(key, taken, fresh);
  const records = toGuides(plan);
  if ((await storeCreation(records, { guides, repeated, renumbered })) === 'created') {
    return { guides: records, repeated };
  }
  const again = toGuides(await keys.replan(key, plan.creation, newNumbers(records.length)));
  if ((await storeCreation(again, { guides, repeated: true, renumbered })) === 'aborted') {
    throw new DomainError('unavailable');
  }
  return { guides: again, repeated: false };
}

function newNumbers(count: number): Pick<CreationPlan, 'creation' | 'numbers'> {
  return { creation: randomUUID(), numbers: generateGuideNumbers(count) };
}

function isUnknownResult(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'result-unknown';
}

/** @throws DomainError `too-many-guides-today` where the day's quota does not allow the guides, with the seconds left. */
function requireGranted({ granted, state }: TakenGuides, onQuota: CreationRequest['onQuota']): void {
  onQuota(state);
  if (!granted) throw new DomainError('too-many-guides-today', { params: { seconds: state.resetS } });
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
