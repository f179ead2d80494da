import { randomUUID } from 'node:crypto';
import { DomainError, type Problem } from '#shared/errors/domain-error.ts';
import { isTestNumber, MAX_GUIDES } from '#shared/guides/guide.ts';
import { inGrams, type ManifestGuide, totalsOf } from '#shared/manifests/manifest.ts';
import { MANIFESTS, type Manifest } from '#shared/manifests/manifest-model.ts';
import type { Caller } from '../accounts/account-limits.ts';
import { findGuides, refuseEach } from '../guides/guide-access.ts';
import type { GuideStore, HandoverGuide } from '../guides/guide-store.ts';
import { type IdempotencyKey, idempotencyKey, requireSameBody } from '../http/idempotency.ts';
import type { IndexKeeper } from '../platform/index-keeper.ts';
import { manifestNumbers } from './manifest-number.ts';
import { parseManifestRequest } from './manifest-request.ts';
import type { ManifestStore } from './manifest-store.ts';

/** `localTime` writes a moment as `Fecha` shows it. */
type Deps = {
  manifests: ManifestStore;
  guides: GuideStore;
  indexes: Pick<IndexKeeper, 'requireUnique'>;
  localTime: (moment: Date) => string;
};
type Request = { body: unknown; user: Caller; idempotencyKey: string | undefined };
/** What a manifest will list. `more`: further guides wait, or may wait. */
type Handover = { guides: HandoverGuide[]; more: boolean };

/** Age of the oldest guides that a request for all guides lists, in ms. */
const WAITING_MS = 7 * 24 * 3_600_000;
/** Time limit of a look for them, in ms. What was found by then is listed. */
const SEARCH_MS = 3_000;
/** How often such a request looks for guides, if another request lists them meanwhile. */
const MAX_LOOKS = 3;

/**
 * Makes a manifest of the guides that are named, or of all of the user's branch that wait (docs/contract.md
 * "Manifests").
 *
 * @returns the manifest, and whether an earlier request with the same key made it.
 * @throws DomainError `guide-not-found`, or `manifest-refused` with all problems; `nothing-to-hand-over`,
 * `origin-unassigned`; `manifest-unknown` if the outcome stays unknown; `unavailable` while a unique index is missing.
 */
export async function createManifest(
  deps: Deps,
  { body, user, idempotencyKey: name }: Request,
): Promise<{ manifest: Manifest; repeated: boolean }> {
  const numbers = parseManifestRequest(body);
  const key =
    name === undefined
      ? undefined
      : await idempotencyKey('manifiestos', user.username, name, numbers ?? null);
  const earlier = key && (await deps.manifests.findByKey(key));
  if (earlier) return { manifest: earlier, repeated: true };
  // Nothing else keeps each guide in one manifest.
  deps.indexes.requireUnique(MANIFESTS);
  try {
    return await (numbers ? createOf(deps, numbers, user, key) : createOfWaiting(deps, user, key));
  } catch (error) {
    // A concurrent request with this key may have made the manifest. Both get the same answer.
    const concurrent = key && isRefusal(error) && (await deps.manifests.findByKey(key));
    if (concurrent) return { manifest: concurrent, repeated: true };
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof DomainError &&
    (error.code === 'manifest-refused' || error.code === 'nothing-to-hand-over')
  );
}

async function createOf(
  deps: Deps,
  numbers: readonly string[],
  user: Caller,
  key: IdempotencyKey | undefined,
) {
  // A test account lists no real guides, even if it once had some, and other accounts list no test guides.
  const own = numbers.map((number) => (isTestNumber(number) === user.test ? number : ''));
  // As in `cancelGuide`, `guias.read.all` is not enough.
  const guides = await findGuides(deps.guides, own, { ...user, permissions: [] });
  refuseEach('manifest-refused', guides, problemsOf(guides));
  const created = await store(deps, { guides, more: false }, user, key);
  if (!('conflicts' in created)) return created;
  const { conflicts } = created;
  refuseEach('manifest-refused', guides, ({ _id }) => {
    const manifest = conflicts.get(_id);
    return manifest === undefined ? undefined : { code: 'guide-in-manifest', params: { manifest } };
  });
  throw new DomainError('unavailable');
}

async function createOfWaiting(deps: Deps, user: Caller, key: IdempotencyKey | undefined) {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const created = await store(deps, await findWaiting(deps, user), user, key);
    if (!('conflicts' in created)) return created;
  }
  throw new DomainError('unavailable');
}

/**
 * Finds the guides of the user's branch that nobody has scanned and that are in no manifest, the oldest first.
 *
 * @throws DomainError `nothing-to-hand-over`; `unavailable` if none is found in time.
 */
async function findWaiting(
  { guides, manifests, localTime }: Deps,
  { account, originBranch, test }: Caller,
): Promise<Handover> {
  if (originBranch === null) throw new DomainError('origin-unassigned');
  const waiting: HandoverGuide[] = [];
  const end = performance.now() + SEARCH_MS;
  let isLate = false;
  const from = localTime(await manifests.clock.now(-WAITING_MS));
  for await (const step of guides.documented(account, originBranch, from)) {
    const listed = await manifests.ofGuides(step.map(({ _id }) => _id));
    waiting.push(...step.filter(({ _id }) => !listed.has(_id) && isTestNumber(_id) === test));
    isLate = performance.now() >= end;
    if (waiting.length > MAX_GUIDES || isLate) break;
  }
  if (waiting.length === 0 && isLate) throw new DomainError('unavailable');
  if (waiting.length === 0) {
    throw new DomainError('nothing-to-hand-over', { params: { branch: originBranch } });
  }
  return { guides: waiting.slice(0, MAX_GUIDES), more: isLate || waiting.length > MAX_GUIDES };
}

async function store(
  { manifests, localTime }: Deps,
  { guides, more }: Handover,
  { username, account, test }: Caller,
  key: IdempotencyKey | undefined,
) {
  const createdUtc = await manifests.clock.now();
  const rows = guides.map(rowOf);
  const ends = guides.flatMap(({ expiresAt }) => (expiresAt ? [expiresAt.getTime()] : []));
  const created = await manifests.create({
    _id: manifestNumbers.generate(test),
    creation: randomUUID(),
    username,
    account,
    createdAt: localTime(createdUtc),
    createdUtc,
    origin: (guides[0] as HandoverGuide).origin,
    guides: rows,
    totals: totalsOf(rows),
    ...(more && { more }),
    ...(key && { key: { id: key.id, bodyHash: key.bodyHash } }),
    ...(ends.length > 0 && { expiresAt: new Date(Math.min(...ends)) }),
  });
  if (key && 'manifest' in created) requireSameBody({ bodyHash: created.manifest.key?.bodyHash }, key);
  return created;
}

function rowOf({ _id, service, destination, guide }: HandoverGuide): ManifestGuide {
  const { Peso, Paquetes = 1 } = guide.Producto;
  return {
    number: _id,
    service,
    destination: destination.code,
    packages: Paquetes,
    ...(Peso !== undefined && { weight: inGrams(Peso * Paquetes) }),
    ...(guide.Cobro && { cod: guide.Cobro.Monto }),
  };
}

/** Returns a function that explains why a guide does not belong in the manifest; it returns undefined if it does. */
function problemsOf(guides: readonly HandoverGuide[]) {
  const other = guides[0]?.origin.code;
  const seen = new Set<string>();
  return ({ _id, status, origin }: HandoverGuide): Problem | undefined => {
    if (status === 'Cancelado') return { code: 'guide-cancelled' };
    if (status !== 'Documentado' && status !== 'Recolectado') return { code: 'guide-travelling' };
    if (origin.code !== other) {
      return { code: 'guide-of-other-branch', params: { branch: origin.code, other } };
    }
    if (seen.has(_id)) return { code: 'guide-repeated' };
    seen.add(_id);
    return undefined;
  };
}
