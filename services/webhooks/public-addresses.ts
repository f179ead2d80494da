import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/** Longest time for a connection, TLS included, in ms. */
const CONNECT_TIMEOUT_MS = 5_000;

/** A webhook leads to an address that is not on the internet. */
export class NotPublic extends Error {
  override readonly name = 'NotPublic';
}

/**
 * Returns a connector that connects to the internet alone: not to this machine, our networks, the cloud's metadata, nor to
 * IPv6 addresses that stand for those. A name is refused for one such address among several.
 *
 * The address is checked when the connection is made, since a name may lead elsewhere by then. Node looks up no literal
 * address, so these are checked by themselves.
 */
export function publicConnector(): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: publicLookup });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (ipaddr.isValid(host) && !isPublic(host)) return callback(new NotPublic(host), null);
    return connect(options, callback);
  };
}

/** A connector to any address, for `npm start` and tests. */
export function anyConnector(): buildConnector.connector {
  return buildConnector({ timeout: CONNECT_TIMEOUT_MS });
}

const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const wrong = addresses.find(({ address }) => !isPublic(address));
    if (wrong) return callback(new NotPublic(`${hostname} has the address ${wrong.address}`), []);
    const [first] = addresses;
    if (options.all || !first) return callback(null, addresses);
    return callback(null, first.address, first.family);
  });
};

/** The part of IPv6 that is routed on the internet (RFC 4291, 2.4). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is one of the internet's. Every range with a purpose of its own has another name than `unicast`. */
function isPublic(text: string): boolean {
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return false;
  return address.range() === 'unicast';
}
