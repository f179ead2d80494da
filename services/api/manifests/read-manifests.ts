import { DomainError } from '#shared/errors/domain-error.ts';
import type { Manifest, ManifestHead } from '#shared/manifests/manifest-model.ts';
import type { ManifestPayload } from '#shared/manifests/manifest-payload.ts';
import type { CurrentState, GuideStore } from '../guides/guide-store.ts';
import { type ListParameters, readPage } from '../http/list-parameters.ts';
import type { LabelSettings } from '../labels/label-payload.ts';
import { manifestNumbers } from './manifest-number.ts';
import type { ManifestStore } from './manifest-store.ts';

type Deps = { manifests: ManifestStore; guides: GuideStore };

/**
 * Returns a manifest of the account, with the current states of those of its guides that still exist.
 *
 * @throws DomainError `manifest-not-found`, also for another account's.
 */
export async function readManifest(
  { manifests, guides }: Deps,
  number: string,
  account: string,
): Promise<{ manifest: Manifest; states: ReadonlyMap<string, CurrentState> }> {
  const manifest = manifestNumbers.has(number) ? await manifests.find(number, account) : undefined;
  if (!manifest) throw new DomainError('manifest-not-found');
  const numbers = manifest.guides.map((guide) => guide.number);
  return { manifest, states: await guides.statesOf(numbers, account) };
}

/**
 * Returns a page of the account's manifests, newest first, and the cursor of the next one; null after the last.
 *
 * @throws DomainError `parameter-invalid`, with the parameter.
 */
export async function listManifests(
  manifests: ManifestStore,
  account: string,
  request: ListParameters,
): Promise<{ manifests: ManifestHead[]; cursor: string | null }> {
  const { page, cursor } = await readPage(request, (within, limit) => manifests.page(account, within, limit));
  return { manifests: page, cursor };
}

/** Makes the payload of a manifest's PDF. The order of fields is fixed, because the key of the PDF is a hash of them. */
export function manifestPayload(
  { _id, createdAt, account, origin, guides }: Manifest,
  states: ReadonlyMap<string, CurrentState>,
  { carrier, logo }: LabelSettings,
): ManifestPayload {
  const known = guides.flatMap(({ number }) => {
    const state = states.get(number);
    return state ? [[number, state] as const] : [];
  });
  const routes = known.flatMap(([number, { route }]) => (route ? [[number, route] as const] : []));
  return {
    kind: 'manifest',
    number: _id,
    createdAt,
    account,
    carrier,
    ...(logo && { logo }),
    origin: { code: origin.code, name: origin.name },
    guides: guides.map(({ number, service, destination, packages, weight, cod }) => {
      const { status, guide } = states.get(number) ?? {};
      const postalCode = guide?.Destinatario?.CodigoPostal;
      return {
        ...{ number, service, destination, packages },
        ...(weight !== undefined && { weight }),
        ...(cod !== undefined && { cod }),
        ...(postalCode !== undefined && { postalCode }),
        ...(status === 'Cancelado' && { cancelled: true as const }),
      };
    }),
    ...(routes.length > 0 && { routes: Object.fromEntries(routes) }),
    details: Object.fromEntries(known.map(([number, state]) => [number, detailsOf(state)])),
    branches: Object.fromEntries(known.map(([, { destination }]) => [destination.code, destination.name])),
  };
}

/**
 * Returns what a dock finds a guide by. The town is that of the branch where the guide is picked up there; with its state it would be
 * too small to read, and the postal code beside it says that.
 */
function detailsOf({ guide, pickUp }: CurrentState): NonNullable<ManifestPayload['details']>[string] {
  const { Municipio, Estado } = pickUp ?? guide.Destinatario ?? {};
  const place = Municipio || Estado;
  return {
    ...(guide.Referencia !== undefined && { reference: guide.Referencia }),
    ...(place && { place }),
  };
}
