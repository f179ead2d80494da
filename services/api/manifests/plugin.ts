import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { MANIFESTS } from '#shared/manifests/manifest-model.ts';
import { openIndexes } from '../platform/stores.ts';
import { ManifestStore } from './manifest-store.ts';
import { isManifestScan, scanManifest } from './scan-manifest.ts';

declare module 'fastify' {
  interface FastifyInstance {
    manifests: ManifestStore;
  }
}

/** Opens the store of manifests, and lets the register of events take their scans. */
export const manifestsPlugin = fp(async (server: HttpServer) => {
  openIndexes(server, MANIFESTS);
  const manifests = new ManifestStore(server.mongo);
  server.decorate('manifests', manifests);
  server.handover = {
    isScan: isManifestScan,
    scan: (body, username) => scanManifest(server, body, username),
    listOf: async (guide) => (await manifests.ofGuides([guide])).get(guide),
  };
});
