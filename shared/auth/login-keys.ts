import { digest } from '#shared/digest.ts';
import { addressGroup } from './address-group.ts';

/**
 * What an attempt is counted under in Redis: the user, the address, and both together. Users are hashes, since keys hold no
 * names and their length has a bound.
 */
export type LoginKeys = { user: string; address: string; pair: string };

/** Returns what an attempt is counted under. @param from the client's IP address. */
export function loginKeys(username: string, from: string): LoginKeys {
  const address = addressGroup(from);
  return { user: digest(username), address, pair: digest(`${username}\n${address}`) };
}
