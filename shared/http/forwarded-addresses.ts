import { splitList } from '#shared/config/networks.ts';
import type { HttpServer } from './http-server.ts';

const LOG_EVERY_MS = 3_600_000;

/** Returns `TRUST_PROXY` (`explainProxies`) as Fastify takes it. */
export function trustedProxies(setting = ''): string[] | false | ((address: string, hop: number) => boolean) {
  // Given a number, Fastify itself would trust nobody, since anyone who connects might send the header.
  if (/^\d+$/.test(setting)) return (_address, hop) => hop < Number(setting);
  const addresses = splitList(setting);
  return addresses.length > 0 && addresses;
}

/** Matches addresses as some proxies write them: `192.0.2.1:50000`, `[2001:db8::1]:50000`, `[2001:db8::1]`. */
const WITH_PORT = /^(?:\[([0-9a-f:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/i;

/**
 * Removes ports from `X-Forwarded-For` before `request.ip` is read. Otherwise each connection would have another
 * address, limits on addresses would fail, and proxies would not be recognized.
 */
export function dropForwardedPorts(server: HttpServer): void {
  server.addHook('onRequest', async ({ raw: { headers } }) => {
    const forwarded = headers['x-forwarded-for'];
    if (typeof forwarded !== 'string') return;
    const addresses = forwarded.split(',').map((text) => {
      const [, v6, v4] = WITH_PORT.exec(text.trim()) ?? [];
      return v6 ?? v4 ?? text.trim();
    });
    headers['x-forwarded-for'] = addresses.join(', ');
  });
}

/**
 * Warns once an hour of requests with an untrusted `X-Forwarded-For`. Behind a proxy that `TRUST_PROXY` lacks, all clients would
 * share one address and its limits.
 */
export function watchForwardedAddresses(server: HttpServer): void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  server.addHook('onRequest', async ({ headers, ip, socket, log }) => {
    if (headers['x-forwarded-for'] === undefined || ip !== socket.remoteAddress) return;
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + LOG_EVERY_MS;
    log.warn(
      { peer: ip },
      'X-Forwarded-For is ignored: if this peer is a proxy of yours, name it in TRUST_PROXY, or all clients share one limit',
    );
  });
}
