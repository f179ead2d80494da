import { readFileSync } from 'node:fs';
import type { HttpServer } from '#shared/http/http-server.ts';

const ASSETS = {
  'tablero.css': 'text/css; charset=utf-8',
  'estado.js': 'text/javascript; charset=utf-8',
  'icono.svg': 'image/svg+xml',
};

/** `/recursos/*`: what the pages load. The login page loads it too, so no session is required. */
export async function assetRoutes(server: HttpServer): Promise<void> {
  for (const [name, type] of Object.entries(ASSETS)) {
    const body = readFileSync(new URL(`../views/assets/${name}`, import.meta.url));
    server.get(`/recursos/${name}`, async (_request, reply) =>
      reply.header('cache-control', 'max-age=60').type(type).send(body),
    );
  }
}
