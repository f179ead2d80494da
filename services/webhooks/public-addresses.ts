import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isAddress, isPublicAddress } from '#shared/public-address.ts';

/** Longest time for a connection, TLS included, in ms. */
const CONNECT_TIMEOUT_MS = 5_000;

/** A webhook leads to an address that is not on the internet. */
export class NotPublic extends Error {
  override readonly name = 'NotPublic';
}

/**
 * Returns a connector that connects to public addresses alone. A name is refused for one other address among several.
 *
 * The address is checked when the connection is made, since a name may lead elsewhere by then. Node looks up no literal
 * address, so these are checked by themselves.
 *
 * @param resolve looks a name up, as `lookup` of node:dns does.
 */
export function publicConnector(resolve: typeof lookup = lookup): buildConnector.connector {
  const connect = connectorWith({ lookup: publicLookup(resolve) });
  return (options, callback) => {
    const { hostname } = options;
    if (isAddress(hostname) && !isPublicAddress(hostname)) return callback(new NotPublic(hostname), null);
    return connect(options, callback);
  };
}

/** A connector to any address, for `npm start` and tests. */
export function anyConnector(): buildConnector.connector {
  return connectorWith({});
}

/** One connection has one request at a time: HTTP/2 would let a receiver hold up those of others. */
function connectorWith(options: { lookup?: LookupFunction }): buildConnector.connector {
  return buildConnector({ ...options, timeout: CONNECT_TIMEOUT_MS, allowH2: false });
}

function publicLookup(resolve: typeof lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const wrong = addresses.find(({ address }) => !isPublicAddress(address));
      if (wrong) return callback(new NotPublic(`${hostname} has the address ${wrong.address}`), []);
      const [first] = addresses;
      if (options.all || !first) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
