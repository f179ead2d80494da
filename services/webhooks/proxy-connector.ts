import http from 'node:http';
import https from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import { buildConnector, errors } from 'undici';
import { isAddress } from '#shared/webhooks/public-address.ts';
import { CONNECT_TIMEOUT_MS, type IsAllowed, LOOPBACK, NotPublic, THIS_MACHINE } from './public-addresses.ts';

/** `login` is `user:password`, if the proxy asks for one. */
export type EgressProxy = { url: string; login?: string | undefined };

const FORBIDDEN = 403;
const LOGIN_REQUIRED = 407;

/** The proxy cannot be reached, or refuses us: no receiver is at fault. */
export class ProxyFailed extends Error {
  override readonly name = 'ProxyFailed';
}

/**
 * Connects through a proxy, also for plain http, by CONNECT (RFC 9110, 9.3.6). The proxy looks names up, so only
 * the proxy can refuse a name that leads inside. Addresses, and names of this machine, are checked here.
 *
 * undici's `ProxyAgent` reports a proxy that is away as it reports a receiver that is.
 *
 * @param timeoutMs of tunnel and TLS together.
 */
export function proxyConnector(
  proxy: EgressProxy,
  isAllowed: IsAllowed,
  timeoutMs = CONNECT_TIMEOUT_MS,
): buildConnector.connector {
  return (options, callback) => {
    const end = performance.now() + timeoutMs;
    const { hostname, protocol, port } = options;
    const isTls = protocol === 'https:';
    if (isInside(hostname, isAllowed)) return callback(new NotPublic(hostname), null);
    const host = isIPv6(hostname) ? `[${hostname}]` : hostname;
    openTunnel(proxy, `${host}:${port || (isTls ? 443 : 80)}`, timeoutMs).then(
      (socket) => {
        if (!isTls) return callback(null, socket);
        // undici does not end a handshake at the time limit of its request. 0 would be no limit.
        const timeout = Math.max(1, end - performance.now());
        buildConnector({ timeout, allowH2: false })({ ...options, httpSocket: socket }, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
}

function isInside(hostname: string, isAllowed: IsAllowed): boolean {
  if (isAddress(hostname)) return !isAllowed(hostname);
  return THIS_MACHINE.test(hostname) && !LOOPBACK.every(({ address }) => isAllowed(address));
}

/**
 * @throws ProxyFailed; NotPublic if the proxy forbids the target; ConnectTimeoutError if it does not connect in time;
 * Error if it cannot connect.
 */
function openTunnel({ url, login }: EgressProxy, target: string, timeoutMs: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const { request: send } = url.startsWith('https:') ? https : http;
  const request = send(url, {
    method: 'CONNECT',
    path: target,
    agent: false,
    headers: {
      host: target,
      ...(login !== undefined && { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
    },
  });
  let isReached = false;
  const end = setTimeout(() => {
    reject(
      isReached ? new errors.ConnectTimeoutError() : new ProxyFailed('The proxy did not answer in time'),
    );
    request.destroy();
  }, timeoutMs);
  request.once('socket', (socket) => socket.once('connect', () => (isReached = true)));
  request.once('error', (cause) => {
    clearTimeout(end);
    reject(new ProxyFailed('The proxy cannot be reached', { cause }));
  });
  request.once('connect', ({ statusCode = 0 }, socket: Socket) => {
    clearTimeout(end);
    if (statusCode >= 200 && statusCode < 300) return resolve(socket);
    socket.destroy();
    reject(refusal(statusCode, target));
  });
  request.end();
  return promise;
}

function refusal(status: number, target: string): Error {
  if (status === FORBIDDEN) return new NotPublic(`The proxy forbids ${target}`);
  if (status === LOGIN_REQUIRED) return new ProxyFailed('The proxy refuses WEBHOOKS_PROXY_LOGIN');
  return new Error(`The proxy answered ${status} for ${target}`);
}
