import { randomUUID } from 'node:crypto';
import { DomainError, type Problem } from '#shared/errors/domain-error.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { MAX_OPEN } from '#shared/pickups/pickup.ts';
import { PICKUPS, type Pickup } from '#shared/pickups/pickup-model.ts';
import type { EventLog } from '#shared/tracking/event-log.ts';
import type { Caller } from '../accounts/account-limits.ts';
import type { BranchesCaller, BranchesClient } from '../branches/branches-client.ts';
import { findGuides, refuseEach } from '../guides/guide-access.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import { fieldError } from '../http/body.ts';
import { type IdempotencyKey, idempotencyKey, requireSameBody } from '../http/idempotency.ts';
import type { ManifestStore } from '../manifests/manifest-store.ts';
import { readManifest } from '../manifests/read-manifests.ts';
import type { IndexKeeper } from '../platform/index-keeper.ts';
import { zonedTime } from '../platform/local-time.ts';
import { branchAt, type PickupBranch, windowNamed } from './availability.ts';
import type { CurrentCalendar } from './calendar/current-calendar.ts';
import type { PickupWindow } from './calendar/windows.ts';
import { pickupNumbers } from './pickup-number.ts';
import { addressKeyOf, type PickupRequest, parsePickupRequest } from './pickup-request.ts';
import type { PickupConflict, PickupStore } from './pickup-store.ts';
import { localTimeIn } from './zones.ts';

/** `localTime` writes a moment as `Fecha` shows it; `timeZone` is that of branches without one. */
type Deps = {
  pickups: PickupStore;
  calendar: CurrentCalendar;
  branches: BranchesClient;
  guides: GuideStore;
  manifests: ManifestStore;
  eventLog: EventLog;
  indexes: Pick<IndexKeeper, 'requireUnique'>;
  localTime: (moment: Date) => string;
  timeZone: string;
};
type Request = {
  body: unknown;
  user: Caller;
  caller: BranchesCaller;
  idempotencyKey: string | undefined;
};
/** What is picked up, if the request names it, and when the first of these guides of a test account goes. */
type Goods = { guides?: string[]; manifest?: string; expiresAt?: Date };

/** How long a pick-up of a test account is kept, in ms, as its guides. */
const TEST_KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Asks for a pick-up (docs/contract.md "Pick-ups").
 *
 * @returns the pick-up, and whether an earlier request with the same key asked for it.
 * @throws DomainError `fields-invalid`, `postal-code-uncovered`, `window-…`, `pickup-repeated`, `too-many-open-pickups`,
 * `pickup-refused` with all guides that are in the way, `guide-not-found`, `manifest-…`; `pickup-unknown` if the outcome stays
 * unknown; `unavailable` while a unique index is missing.
 */
export async function createPickup(
  deps: Deps,
  { body, user, caller, idempotencyKey: name }: Request,
): Promise<{ pickup: Pickup; repeated: boolean }> {
  const request = parsePickupRequest(body);
  const key =
    name === undefined ? undefined : await idempotencyKey('recolecciones', user.username, name, request);
  const earlier = key && (await deps.pickups.findByKey(key));
  if (earlier) return { pickup: earlier, repeated: true };
  // Nothing else keeps a place, an address and a guide from a second pick-up.
  deps.indexes.requireUnique(PICKUPS);
  try {
    return await store(deps, request, { user, caller }, key);
  } catch (error) {
    // A concurrent request with this key may have asked for it. Both get the same answer.
    const isRefusal = error instanceof DomainError && error.code !== 'pickup-unknown';
    const concurrent = key && isRefusal && (await deps.pickups.findByKey(key));
    if (concurrent) return { pickup: concurrent, repeated: true };
    throw error;
  }
}

async function store(
  deps: Deps,
  request: PickupRequest,
  { user, caller }: Pick<Request, 'user' | 'caller'>,
  key: IdempotencyKey | undefined,
) {
  const { pickups, eventLog } = deps;
  // Read before the guides: what is registered after they were read is looked at once the pick-up stands.
  const seen = await eventLog.last(user.account);
  const place = await branchAt(deps, request.Direccion.CodigoPostal, caller).catch(namingField);
  const { window, isClosed } = await windowNamed(deps, place, request.Ventana);
  if (isClosed) {
    const closesAt = zonedTime(localTimeIn(window.zone), window.closesAt);
    throw fieldError('Ventana', 'window-closed', { closesAt });
  }
  const goods = await goodsOf(deps, request, place, user);
  // Requests at the same moment may exceed this a little. Only places must be exact.
  if ((await pickups.countOpen(user.account, MAX_OPEN)) >= MAX_OPEN) {
    throw new DomainError('too-many-open-pickups');
  }
  const createdUtc = await pickups.clock.now();
  const pickup = newPickup(request, user, {
    ...{ place, window, goods, createdUtc, createdAt: deps.localTime(createdUtc) },
    ...(goods.guides && { seen }),
    ...(key && { key: { id: key.id, bodyHash: key.bodyHash } }),
  });
  // Those of a test account take no place.
  const created = await pickups.create({ pickup, capacity: user.test ? undefined : window.capacity });
  if (!('pickup' in created)) throw conflictError(created, request);
  if (key) requireSameBody({ bodyHash: created.pickup.key?.bodyHash }, key);
  return created;
}

type Found = Pick<Pickup, 'createdUtc' | 'createdAt' | 'seen' | 'key'> & {
  place: PickupBranch;
  window: PickupWindow;
  goods: Goods;
};

/** Makes the document of a pick-up that nobody has scheduled yet. */
function newPickup(
  { Direccion: address, Notas: notes, Paquetes: packages, Peso: weight }: PickupRequest,
  { username, account, test }: Caller,
  { place, window, goods, createdUtc, ...found }: Found,
): Pickup {
  const { guides, manifest, expiresAt } = goods;
  const held = [...(guides ?? []), ...(manifest === undefined ? [] : [manifest])];
  return {
    _id: pickupNumbers.generate(test),
    creation: randomUUID(),
    ...{ username, account, createdUtc, ...found },
    branch: { code: place.branch, name: place.name },
    window: storedWindow(window),
    automatic: window.automatic,
    address,
    ...(notes !== undefined && { notes }),
    packages,
    ...(weight !== undefined && { weight }),
    ...(guides && { guides }),
    ...(manifest !== undefined && { manifest }),
    status: 'Solicitada',
    history: [{ status: 'Solicitada', occurred: createdUtc, at: createdUtc }],
    version: 1,
    openSince: createdUtc,
    addressKey: addressKeyOf(account, address, window.date),
    ...(held.length > 0 && { held }),
    personal: createdUtc,
    ...(test && { expiresAt: expiresAt ?? new Date(createdUtc.getTime() + TEST_KEPT_MS) }),
  };
}

function storedWindow({ date, from, to, zone, ...moments }: PickupWindow): Pickup['window'] {
  return {
    ...{ date, from, to, zone },
    closesAt: new Date(moments.closesAt),
    startsAt: new Date(moments.startsAt),
    endsAt: new Date(moments.endsAt),
  };
}

function namingField(error: unknown): never {
  if (!(error instanceof DomainError && error.code === 'postal-code-uncovered')) throw error;
  throw fieldError('Direccion.CodigoPostal', 'postal-code-uncovered', error.params);
}

/** @throws DomainError of the guides or the manifest that cannot be picked up. */
async function goodsOf(
  deps: Deps,
  { Guias, Manifiesto }: PickupRequest,
  place: PickupBranch,
  user: Caller,
): Promise<Goods> {
  if (Guias) return goodsOfGuides(deps, Guias, place, user);
  if (Manifiesto !== undefined) return goodsOfManifest(deps, Manifiesto, place, user);
  return {};
}

async function goodsOfGuides(
  { guides: store }: Deps,
  sent: readonly string[],
  place: PickupBranch,
  user: Caller,
): Promise<Goods> {
  // A test account has no real guides picked up, even if it once had some, and other accounts no test guides.
  const own = sent.map((number) => (isTestNumber(number) === user.test ? number : ''));
  // As in `cancelGuide`, `guias.read.all` is not enough.
  const guides = await findGuides(store, own, { ...user, permissions: [] });
  refuseEach('pickup-refused', guides, problemsOf(place));
  const numbers = [...new Set(guides.map(({ _id }) => _id))];
  return { guides: numbers, ...firstExpiry(guides) };
}

function problemsOf({ branch: other }: PickupBranch) {
  return ({ status, origin }: GuideDocument): Problem | undefined => {
    if (status === 'Cancelado') return { code: 'guide-cancelled' };
    if (status !== 'Documentado') return { code: 'guide-not-waiting' };
    if (origin.code === other) return undefined;
    return { code: 'guide-of-other-pickup-branch', params: { branch: origin.code, other } };
  };
}

async function goodsOfManifest(
  deps: Deps,
  number: string,
  { branch: other }: PickupBranch,
  { account, test }: Caller,
): Promise<Goods> {
  const { manifest, states } = await readManifest(deps, number, account).catch((error: unknown) => {
    const isUnknown = error instanceof DomainError && error.code === 'manifest-not-found';
    throw isUnknown ? fieldError('Manifiesto', 'manifest-not-found') : error;
  });
  const guides = manifest.guides.map((guide) => guide.number);
  if (guides.some((guide) => isTestNumber(guide) !== test)) {
    throw fieldError('Manifiesto', 'manifest-not-found');
  }
  const { code: branch } = manifest.origin;
  if (branch !== other) throw fieldError('Manifiesto', 'manifest-of-other-branch', { branch, other });
  // The carrier has the others, or they are cancelled: the van does not wait for them.
  const waiting = guides.filter((guide) => states.get(guide)?.status === 'Documentado');
  if (waiting.length === 0) throw fieldError('Manifiesto', 'manifest-not-waiting');
  return { guides: waiting, manifest: number, ...firstExpiry([manifest]) };
}

function firstExpiry(documents: readonly { expiresAt?: Date | null }[]): Pick<Goods, 'expiresAt'> {
  const ends = documents.flatMap(({ expiresAt }) => (expiresAt ? [expiresAt.getTime()] : []));
  return ends.length > 0 ? { expiresAt: new Date(Math.min(...ends)) } : {};
}

function conflictError(conflict: PickupConflict, { Guias = [] }: PickupRequest): DomainError {
  if ('full' in conflict) return fieldError('Ventana', 'window-full');
  if ('sameAddress' in conflict) {
    return fieldError('Direccion', 'pickup-repeated', { pickup: conflict.sameAddress });
  }
  const { held } = conflict;
  const problems = Guias.flatMap((guide, indice): Problem[] => {
    const pickup = held.get(guide);
    return pickup === undefined ? [] : [{ indice, code: 'guide-in-pickup', params: { pickup } }];
  });
  if (problems.length > 0) return new DomainError('pickup-refused', { problems });
  return fieldError('Manifiesto', 'manifest-in-pickup', { pickup: [...held.values()][0] });
}
