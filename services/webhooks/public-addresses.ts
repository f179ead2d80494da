import { type LookupAddress, promises } from 'node:dns';
import { buildConnector } from 'undici';
import { isAddress } from '#shared/webhooks/public-address.ts';

/** Longest look-up of a name. The connection then has five seconds more. */
const LOOKUP_TIMEOUT_MS = 4_000;
/** Longest look-up of a known name. It follows a failed look-up, within the time of the same connection. */
const KNOWN_TIMEOUT_MS = 2_000;
/** Includes look-up and TLS. */
export const CONNECT_TIMEOUT_MS = LOOKUP_TIMEOUT_MS + 5_000;
/** Time before the same DNS server, or the next one, is asked again. */
const RETRY_MS = 1_000;
/** Codes for a name without an address. Other errors may be the fault of our own servers. */
const NO_ADDRESS = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);
/** Names of this machine, which are never sent to the DNS (RFC 6761, 6.3). */
export const THIS_MACHINE = /^(.+\.)?localhost\.?$/;
export const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Returns whether webhooks may lead to an address. */
export type IsAllowed = (address: string) => boolean;

/** A webhook's name has no address, or one that webhooks may not lead to. */
export class NotPublic extends Error {
  override readonly name = 'NotPublic';
}

/** The DNS does not answer for a known name either, so our own DNS may be away. */
export class LookupFailed extends Error {
  override readonly name = 'LookupFailed';
}

/** The DNS answers for a known name but not for this one, so the name's own servers are at fault. */
export class NameFailed extends Error {
  override readonly name = 'NameFailed';
}

/**
 * Connects to allowed addresses only. A name is refused if one of its addresses is not allowed. Checks the address at
 * each connection, because a name's addresses may change. Node does not look up a literal address, so it is checked
 * directly.
 * @param servers DNS servers as `address:port`; the machine's own by default.
 */
export function directConnector(isAllowed: IsAllowed, servers?: readonly string[]): buildConnector.connector {
  const names = new Names(servers);
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    // One connection has one request at a time. With HTTP/2 one receiver could delay requests to others.
    allowH2: false,
    lookup: (hostname, { all }, callback) => {
      lookUp(hostname, isAllowed, names).then(
        (addresses) => {
          const { address, family } = addresses[0] as LookupAddress;
          return all ? callback(null, addresses) : callback(null, address, family);
        },
        (error: Error) => callback(error, []),
      );
    },
  });
  return (options, callback) => {
    const { hostname } = options;
    if (isAddress(hostname) && !isAllowed(hostname)) return callback(new NotPublic(hostname), null);
    return connect(options, callback);
  };
}

/** @throws NotPublic if an address of the name is not allowed; also what `Names.addressesOf` throws. */
async function lookUp(hostname: string, isAllowed: IsAllowed, names: Names): Promise<LookupAddress[]> {
  const addresses = THIS_MACHINE.test(hostname) ? LOOPBACK : await names.addressesOf(hostname);
  const wrong = addresses.find(({ address }) => !isAllowed(address));
  if (wrong) throw new NotPublic(`${hostname} has the address ${wrong.address}`);
  return addresses;
}

/**
 * Asks the DNS, and finds out who is at fault for a failure. Our server answers `SERVFAIL` if it fails itself, and if
 * the name's servers fail. So it is asked for a known name too.
 */
class Names {
  readonly #servers: readonly string[] | undefined;
  /** The last name that had an address. */
  #known: string | undefined;

  constructor(servers: readonly string[] | undefined) {
    this.#servers = servers;
  }

  /** @throws NotPublic if the name has no address; NameFailed; LookupFailed. */
  async addressesOf(hostname: string): Promise<LookupAddress[]> {
    try {
      const addresses = await askDns(hostname, this.#servers, LOOKUP_TIMEOUT_MS);
      this.#known = hostname;
      return addresses;
    } catch (error) {
      if (error instanceof LookupFailed && (await this.#knowsAnother(hostname))) {
        throw new NameFailed(error.message);
      }
      throw error;
    }
  }

  async #knowsAnother(hostname: string): Promise<boolean> {
    if (this.#known === undefined || this.#known === hostname) return false;
    return askDns(this.#known, this.#servers, KNOWN_TIMEOUT_MS).then(
      () => true,
      () => false,
    );
  }
}

/**
 * Asks the DNS. A slow look-up delays no other, while `dns.lookup` has four threads for all. Reads neither /etc/hosts
 * nor the search list of /etc/resolv.conf.
 * @throws NotPublic if the name has no address; LookupFailed without an answer in time.
 */
async function askDns(
  hostname: string,
  servers: readonly string[] | undefined,
  timeoutMs: number,
): Promise<LookupAddress[]> {
  // A separate resolver, so that cancelling it ends this look-up alone.
  const resolver = new promises.Resolver({ timeout: RETRY_MS, tries: 3 });
  if (servers) resolver.setServers(servers);
  const end = setTimeout(() => resolver.cancel(), timeoutMs);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  clearTimeout(end);
  const addresses = answers.flatMap((answer, i) =>
    answer.status === 'fulfilled'
      ? answer.value.map((address) => ({ address, family: i === 0 ? 4 : 6 }))
      : [],
  );
  if (addresses.length > 0) return addresses;
  const codes = answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'ENODATA'));
  const message = `${hostname} has no address: ${codes.join(', ')}`;
  throw codes.every((code) => NO_ADDRESS.has(code)) ? new NotPublic(message) : new LookupFailed(message);
}
