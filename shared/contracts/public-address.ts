import ipaddr from 'ipaddr.js';

/** The part of IPv6 that is routed on the internet (RFC 4291, 2.4). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Azure's agent of a virtual machine, which hands out its secrets: the only address of that kind in a public range. */
const AZURE_AGENT = '168.63.129.16';

/** Returns whether a text is an address, not a name. @param host as a URL has it. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(withoutBrackets(host));
}

/**
 * Returns whether an address is on the internet: not of this machine, our networks or the cloud's metadata, nor an IPv6
 * address that stands for one of those. Every range with a special purpose has another name than `unicast`.
 * @param host an address, as a URL or the DNS has it.
 */
export function isPublicAddress(host: string): boolean {
  const address = ipaddr.process(withoutBrackets(host));
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return false;
  return address.range() === 'unicast' && address.toString() !== AZURE_AGENT;
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
