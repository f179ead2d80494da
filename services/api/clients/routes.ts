import { createHash } from 'node:crypto';
import type { HttpServer } from '#shared/http/http-server.ts';
import { readBuiltFiles } from '../http/built-files.ts';
import type { ManualValues } from '../http/room.ts';

/** The packages, by the ends of their names, which installers look at. */
const PACKAGES = {
  '.tgz': { language: 'TypeScript', type: 'application/gzip' },
  '.whl': { language: 'Python', type: 'application/zip' },
};

function packages() {
  return [...readBuiltFiles('clients')].flatMap(([file, content]) =>
    Object.entries(PACKAGES)
      .filter(([end]) => file.endsWith(end))
      .map(([, facts]) => ({ ...facts, file, content })),
  );
}

/** `GET /api/docs/cliente/{file}`: the packages of this version. Who installs one has no token yet. */
export function clientRoutes(server: HttpServer): void {
  for (const { file, type, content } of packages()) {
    server.get(`/api/docs/cliente/${file}`, async (_request, reply) =>
      reply
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          'content-disposition': `attachment; filename="${file}"`,
        })
        .type(type)
        .send(content),
    );
  }
}

/** What the chapter names: the files, and by which SHA-256 one knows them. */
export function clientValues(): ManualValues {
  return Object.fromEntries(
    packages().flatMap(({ language, file, content }) => [
      [`paquete${language}`, file],
      [`huella${language}`, createHash('sha256').update(content).digest('hex')],
    ]),
  );
}
