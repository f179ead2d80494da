import { lookup } from 'node:dns/promises';
import type { Way } from '#shared/canary/report.ts';
import type { Destination } from './exchange.ts';

/** A way by which requests of customers come in. `host`: host and port that are asked, by which ways are told apart. */
export type WayIn = Destination & { way: Way; host: string };

type Urls = { CUSTOMERS_URL: string; API_PROCESSES_URL?: string };
/** Returns all addresses of a name; none if there is no such name. Rejects if nobody knows. */
type AddressesOf = (name: string) => Promise<string[]>;

/**
 * Returns a function that lists the ways that there are now: the address that customers use, and each api process that the DNS
 * names. While the DNS does not answer, the processes are those of its last answer.
 */
export function waysIn(
  { CUSTOMERS_URL, API_PROCESSES_URL }: Urls,
  addressesOf: AddressesOf = lookUp,
): () => Promise<WayIn[]> {
  const customers: WayIn = { way: 'customers', host: new URL(CUSTOMERS_URL).host, url: CUSTOMERS_URL };
  let processes: WayIn[] = [];
  return async () => {
    if (API_PROCESSES_URL === undefined) return [customers];
    const { hostname } = new URL(API_PROCESSES_URL);
    const addresses = await addressesOf(hostname.replace(/^\[|\]$/g, '')).catch(() => undefined);
    if (addresses) processes = addresses.map((address) => processAt(address, API_PROCESSES_URL));
    return [customers, ...processes];
  };
}

function processAt(address: string, url: string): WayIn {
  const { port, protocol } = new URL(url);
  const host = address.includes(':') ? `[${address}]` : address;
  return {
    way: 'process',
    host: `${host}:${port || (protocol === 'https:' ? 443 : 80)}`,
    ...{ url, address },
  };
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
