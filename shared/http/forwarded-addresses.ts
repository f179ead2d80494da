import { Counter } from 'prom-client';
import { splitProxies } from '#shared/config/proxies.ts';
import type { HttpServer } from './http-server.ts';

/** How often the same is logged at most, in ms. */
const LOG_EVERY_MS = 3_600_000;

/**
 * Returns `TRUST_PROXY` as Fastify takes it: whom to believe, by address or by the number of proxies in front.
 *
 * @param setting a number, or addresses and networks separated by commas; empty for none.
 */
export function trustedProxies(setting = ''): string[] | false | ((address: string, hop: number) => boolean) {
  // Fastify itself trusts nobody where it is given a number, since anyone who connects might send the header.
  if (/^\d+$/.test(setting)) return (_address, hop) => hop < Number(setting);
  const addresses = splitProxies(setting);
  return addresses.length > 0 && addresses;
}

/** An address with a port, as some proxies write it: `192.0.2.1:50000`, `[2001:db8::1]:50000`, `[2001:db8::1]`. */
const WITH_PORT = /^(?:\[([0-9a-f:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/i;

/**
 * Takes ports off the addresses of `X-Forwarded-For`, before anybody asks for `request.ip`. With its port each connection
 * would have another address, and no limit on an address would hold; nor would a proxy be known by its own.
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
 * Counts requests whose `X-Forwarded-For` is not believed, and warns of them once an hour: behind a proxy that
 * `TRUST_PROXY` does not name, all clients have the proxy's address, and share the limits of one. Where there is no
 * proxy, the header is an attempt to hide an address, and to ignore it is right.
 *
 * @param now in ms, of a clock that only moves forward.
 */
export function watchForwardedAddresses(server: HttpServer, now = () => performance.now()): void {
  const ignored = new Counter({
    name: 'forwarded_addresses_ignored_total',
    help: 'Requests whose X-Forwarded-For was ignored, because TRUST_PROXY does not name their sender',
    registers: [server.metrics],
  });
  let quietUntil = Number.NEGATIVE_INFINITY;
  server.addHook('onRequest', async ({ headers, ip, socket, log }) => {
    if (headers['x-forwarded-for'] === undefined || ip !== socket.remoteAddress) return;
    ignored.inc();
    if (now() < quietUntil) return;
    quietUntil = now() + LOG_EVERY_MS;
    log.warn(
      { peer: ip },
      'X-Forwarded-For is ignored: if this peer is a proxy of yours, name it in TRUST_PROXY, or all clients share one limit',
    );
  });
}
