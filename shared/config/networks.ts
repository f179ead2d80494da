import { isIP } from 'node:net';

/** Splits a setting at its commas. */
export function splitList(setting: string): string[] {
  return setting
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Returns whether a text is a network of IPv4 or IPv6, as in `10.0.0.0/8`. All addresses are not a network. */
export function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const version = isIP(address);
  return (
    version !== 0 &&
    more.length === 0 &&
    /^\d{1,3}$/.test(bits) &&
    Number(bits) >= 1 &&
    Number(bits) <= (version === 4 ? 32 : 128)
  );
}

/** Returns what is wrong with a list of networks. */
export function explainNetworks(setting: string): string | undefined {
  const wrong = splitList(setting).find((network) => !isNetwork(network));
  return wrong && `has '${wrong}', which is not a network as in 10.1.2.0/24 or fd00:1::/64`;
}
