import { isIP } from 'node:net';
import { isNetwork, splitList } from './networks.ts';

/** Names of networks that Fastify knows. */
const NETWORKS: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Returns what is wrong with `TRUST_PROXY`: a number of proxies, or addresses and networks separated by commas. */
export function explainProxies(setting: string): string | undefined {
  if (/^\d+$/.test(setting)) return undefined;
  const wrong = splitList(setting).find((proxy) => !isAddressOrNetwork(proxy));
  return (
    wrong &&
    `has '${wrong}', which is neither a number alone, nor an IP address, nor a network as in 10.0.0.0/8`
  );
}

function isAddressOrNetwork(proxy: string): boolean {
  return NETWORKS.has(proxy) || isIP(proxy) !== 0 || isNetwork(proxy);
}
