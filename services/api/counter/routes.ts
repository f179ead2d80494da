import { readContact } from '#shared/config/contact.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { policyHeader } from '#shared/http/security-headers.ts';
import { pageKit } from '#shared/pages/page-kit.ts';
import { readBuiltFiles } from '../http/built-files.ts';
import { sendCompressed } from '../http/compressed.ts';
import type { Base } from '../http/room.ts';
import { readLogo } from '../labels/logo.ts';

const SELF = ["'self'"];
const NONE = ["'none'"];
/** Labels are shown as `blob:`. A text becomes no code and no HTML (Trusted Types), but by a policy of the program's own. */
const POLICY = policyHeader({
  'default-src': NONE,
  'script-src': SELF,
  'style-src': SELF,
  'connect-src': SELF,
  'img-src': ['blob:', 'data:'],
  'frame-src': ['blob:'],
  'worker-src': SELF,
  'base-uri': NONE,
  'form-action': NONE,
  'frame-ancestors': NONE,
  'require-trusted-types-for': ["'script'"],
});
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript',
  css: 'text/css',
  txt: 'text/plain',
};

/** A name that another content would not have. */
const HASHED = /-[A-Z0-9]{8}\.\w+$/;

type View = { title: string; carrier: string; contact: object | null; logo: string | null } & {
  zone: string;
  tracking: string;
  style: string;
  script: string;
};

/** `GET /mostrador`: a page without any data, and what its program is made of (docs/contract.md "Counter"). */
export function counterRoutes(server: HttpServer, { config }: Base): void {
  const files = readBuiltFiles('counter');
  const kit = pageKit(new URL('.', import.meta.url));
  const html = kit.page<View>('mostrador')({
    title: 'Mostrador',
    carrier: config.CARRIER_NAME,
    contact: config.CARRIER_CONTACT === undefined ? null : readContact(config.CARRIER_CONTACT),
    logo: config.CARRIER_LOGO === undefined ? null : readLogo(config.CARRIER_LOGO),
    zone: config.TIME_ZONE,
    tracking: config.TRACKING_URL ?? `${config.PUBLIC_URL ?? ''}/rastreo/{guia}`,
    style: addressIn(files, 'mostrador'),
    script: addressIn(files, 'main'),
  });
  server.get('/mostrador', async (_request, reply) =>
    reply
      .headers({
        'content-security-policy': POLICY,
        'x-robots-tag': 'noindex',
        'cache-control': 'no-cache',
      })
      .type('text/html; charset=utf-8')
      .send(html),
  );
  for (const [name, content] of files) {
    const type = TYPES[name.split('.').at(-1) ?? ''];
    const compressed = files.get(`${name}.gz`);
    if (type === undefined || compressed === undefined) continue;
    const lifetime = HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
    server.get(`/mostrador/${name}`, async (request, reply) =>
      sendCompressed(request, reply.header('cache-control', lifetime).type(`${type}; charset=utf-8`), {
        content,
        compressed,
      }),
    );
  }
}

/** Returns the address of the one file whose name begins so, before its hash. */
function addressIn(files: ReadonlyMap<string, Buffer>, start: string): string {
  const name = [...files.keys()].find((each) => each.startsWith(`${start}-`) && !each.endsWith('.gz'));
  return `/mostrador/${name}`;
}
