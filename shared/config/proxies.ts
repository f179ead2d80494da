import { isIP } from 'node:net';

/** Names of networks that Fastify knows. */
const NETWORKS: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Returns what is wrong with `TRUST_PROXY`: a number of proxies, or addresses and networks separated by commas. */
export function explainProxies(setting: string): string | undefined {
  if (/^\d+$/.test(setting)) return undefined;
  const wrong = splitProxies(setting).find((proxy) => !isAddressOrNetwork(proxy));
  return (
    wrong &&
    `has '${wrong}', which is neither a number alone, nor an IP address, nor a network as in 10.0.0.0/8`
  );
}

export function splitProxies(setting: string): string[] {
  return setting
    .split(',')
    .map((proxy) => proxy.trim())
    .filter(Boolean);
}

function isAddressOrNetwork(proxy: string): boolean {
  const [address = '', bits, ...more] = proxy.split('/');
  const version = isIP(address);
  if (version === 0) return NETWORKS.has(proxy);
  if (bits === undefined) return true;
  return (
    more.length === 0 &&
    /^\d{1,3}$/.test(bits) &&
    Number(bits) >= 1 &&
    Number(bits) <= (version === 4 ? 32 : 128)
  );
}
