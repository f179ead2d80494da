/** Names and passwords are decoded. */
export type RedisAddress =
  /** `url` is as ioredis takes it. */
  { kind: 'plain'; url: string } | SentinelAddress;

export type SentinelAddress = {
  kind: 'sentinel';
  nodes: { host: string; port: number }[];
  primary: string;
  tls: boolean;
  username: string | undefined;
  password: string | undefined;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
};

const PORT = 6_379;
const SENTINEL_PORT = 26_379;
const SENTINEL_OPTIONS = ['sentinel_username', 'sentinel_password'];

/**
 * Reads an address of Redis: `redis://` or `redis+sentinel://`, with `rediss` for TLS (k8s/operations.md "Redis that
 * fails over").
 * @throws Error with the problem, without a name or a password.
 */
export function parseRedisAddress(text: string): RedisAddress {
  const [, scheme, sentinel, credentials = '', hosts = '', rest = ''] =
    /^(rediss?)(\+sentinel)?:\/\/([^/?]*@)?([^/?@]*)(.*)$/.exec(text) ?? [];
  if (!sentinel) return plainAddress(text, hosts);
  const urls = hosts.split(',').map((host) => parseUrl(`redis://${credentials}${host}${rest}`));
  const [{ username, password, pathname, searchParams }] = urls as [URL];
  const primary = decode(pathname.slice(1));
  if ([...searchParams.keys()].some((key) => !SENTINEL_OPTIONS.includes(key))) {
    throw new Error(`has other options than ${SENTINEL_OPTIONS.join(' and ')}`);
  }
  if (!primary || primary.includes('/')) {
    throw new Error('does not end with / and the name by which its sentinels know the primary');
  }
  const option = (name: string) => searchParams.get(name) || undefined;
  return {
    kind: 'sentinel',
    nodes: urls.map((url) => ({ host: hostOf(url), port: Number(url.port || SENTINEL_PORT) })),
    primary,
    tls: scheme === 'rediss',
    username: decode(username) || undefined,
    password: decode(password) || undefined,
    sentinelUsername: option('sentinel_username'),
    sentinelPassword: option('sentinel_password'),
  };
}

/** Returns where an address leads, without names and passwords: `host:6379/0`, or `host:26379,other:26379/primary`. */
export function placeOfRedis(text: string): string {
  const address = parseRedisAddress(text);
  if (address.kind === 'sentinel') {
    const nodes = address.nodes.map(({ host, port }) => `${host}:${port}`);
    return `${nodes.sort().join()}/${address.primary}`;
  }
  const { hostname, port, pathname } = parseUrl(address.url);
  return `${hostname}:${port || PORT}/${pathname.slice(1) || 0}`;
}

/** Returns undefined for a valid address. */
export function explainRedisAddress(text: string): string | undefined {
  try {
    parseRedisAddress(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function plainAddress(text: string, hosts: string): RedisAddress {
  if (!/^rediss?:\/\/./.test(text)) {
    throw new Error(
      'must be redis://host:port or redis+sentinel://host:port,host:port/primary-name, or these with rediss for TLS',
    );
  }
  if (hosts.includes(',')) throw new Error('names several hosts: write redis+sentinel:// for sentinels');
  const { username, password } = parseUrl(text);
  for (const name of [username, password]) decode(name); // as ioredis does, which names no setting
  return { kind: 'plain', url: text };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url?.hostname)
    throw new Error('has an empty or malformed host, or a sign in its password that must be %-encoded');
  return url;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a % that encodes nothing: write %25');
  }
}
