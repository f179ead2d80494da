import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Longest text that stands for an address which is none, such as one with a port, in characters. */
const MAX_TEXT = 64;

/**
 * Returns what logins of an address are counted under (docs/contract.md "Authentication"): an IPv6 address by its /64,
 * which is what one customer of a provider gets, and an IPv4 address also where it is written as an IPv6 one.
 */
export function addressGroup(address: string): string {
  const text = String(address); // undefined once the client is gone
  if (!isIP(text)) return text.slice(0, MAX_TEXT);
  const parsed = ipaddr.process(text);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
