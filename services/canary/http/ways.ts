import { lookup } from 'node:dns/promises';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { Way } from '#shared/canary/report.ts';
import type { Endpoint } from './exchange.ts';

/** A way by which requests of customers come in. `host`: host and port that are asked. */
export type WayIn = Endpoint & { way: Way; host: string };

/** Returns all addresses of a name; none if there is no such name. Rejects if nobody knows. */
type AddressesOf = (name: string) => Promise<string[]>;

/** Longest wait for the DNS, in ms: a look-up that nobody answers takes a minute. */
const LOOK_UP_MS = 2_000;

/** Returns the way by the address that customers use. */
export function customersWay(url: string): WayIn {
  return { way: 'customers', host: new URL(url).host, url };
}

/**
 * Returns a function that lists a way for each process that the DNS names now. While the DNS does not answer, these are the processes
 * of its last answer.
 * @param url base URL whose host has an address for each process.
 */
export function processWays(url: string, addressesOf: AddressesOf = lookUp): () => Promise<WayIn[]> {
  let known: WayIn[] = [];
  return async () => {
    const name = new URL(url).hostname.replace(/^\[|\]$/g, '');
    const addresses = await withTimeout(LOOK_UP_MS, 'Listing the processes', addressesOf(name)).catch(
      () => undefined,
    );
    if (addresses) known = addresses.map((address) => processAt(address, url));
    return known;
  };
}

function processAt(address: string, url: string): WayIn {
  const { port, protocol } = new URL(url);
  const host = address.includes(':') ? `[${address}]` : address;
  const way = { way: 'process', host: `${host}:${port || (protocol === 'https:' ? 443 : 80)}` } as const;
  return { ...way, url, address };
}

/** Asks the operating system, which completes the short names of Kubernetes. */
async function lookUp(name: string): Promise<string[]> {
  try {
    const found = await lookup(name, { all: true });
    return [...new Set(found.map(({ address }) => address))].toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return []; // no process is ready
    throw error;
  }
}
