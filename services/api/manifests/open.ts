import type { HttpServer } from '#shared/http/http-server.ts';
import { MANIFESTS } from '#shared/manifests/manifest-model.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Guides } from '../guides/open.ts';
import type { Base } from '../http/room.ts';
import type { Labels } from '../labels/open.ts';
import { Port } from '../platform/port.ts';
import type { Tracking } from '../tracking/open.ts';
import { ManifestStore } from './manifest-store.ts';
import { isManifestScan, type ScannedWith, scanManifest } from './scan-manifest.ts';

/** What the room provides. */
export type Manifests = ReturnType<typeof openManifests>;
export type ManifestsContext = Base & Accounts & Guides & Labels & Tracking & Manifests;

/** Opens the store of manifests, and lets the register of events take their scans. */
export function openManifests(
  _server: HttpServer,
  { mongo, indexes, guides, events, handover }: Base & Guides & Tracking,
) {
  indexes.add(MANIFESTS);
  const manifests = new ManifestStore(mongo);
  /** Knows what a driver scans with a manifest; undefined without such a room. */
  const scannedWith = new Port<ScannedWith | undefined>(undefined);
  handover.fill({
    isScan: isManifestScan,
    scan: (body, username) => scanManifest({ manifests, guides, events, scannedWith }, body, username),
    listOf: async (guide) => (await manifests.ofGuides([guide])).get(guide),
  });
  return { manifests, scannedWith };
}
