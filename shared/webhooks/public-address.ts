import ipaddr from 'ipaddr.js';

/** The part of IPv6 that is routed on the internet (RFC 4291, 2.4). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * The agent of Azure's virtual machines, which hands out secrets. Agents of other clouds are not in a public range.
 */
const AZURE_AGENT = '168.63.129.16';

/** Returns whether a host, as a URL has it, is an address and not a name. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(withoutBrackets(host));
}

/**
 * Returns whether an address is on the internet. Addresses of this machine, our networks and the cloud's metadata are not,
 * nor IPv6 addresses that stand for them. ipaddr.js calls a range `unicast` only if it is not special.
 * @param host an address, as a URL or the DNS has it.
 */
export function isPublicAddress(host: string): boolean {
  const address = ipaddr.process(withoutBrackets(host));
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return false;
  return address.range() === 'unicast' && address.toString() !== AZURE_AGENT;
}

/** Returns whether an address is on the internet, or in one of these networks, as in `10.0.0.0/8`. */
export function publicOrIn(networks: readonly string[]): (host: string) => boolean {
  const allowed = networks.map((network) => ipaddr.parseCIDR(network));
  return (host) => isPublicAddress(host) || allowed.some((network) => isIn(host, network));
}

/** An IPv4 address in IPv6 counts as the IPv4 address. */
function isIn(host: string, [network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  const address = ipaddr.process(withoutBrackets(host));
  return address.kind() === network.kind() && address.match([network, bits]);
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
