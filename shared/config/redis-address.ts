/** Where one of several servers listens. */
export type RedisNode = { host: string; port: number };

/** Where a service finds Redis, and how it logs in. Names and passwords are decoded. */
export type RedisAddress =
  /** One address, which leads to the primary. `url` is as ioredis takes it. */
  | { kind: 'plain'; url: string }
  /** Sentinels, which know the address of the primary by its name. */
  | (Servers & {
      kind: 'sentinel';
      primary: string;
      sentinelUsername: string | undefined;
      sentinelPassword: string | undefined;
    })
  /** Nodes of a Redis Cluster, any of which knows the others. */
  | (Servers & { kind: 'cluster' });

type Servers = {
  nodes: RedisNode[];
  tls: boolean;
  username: string | undefined;
  password: string | undefined;
};

const PORTS = { sentinel: 26_379, cluster: 6_379 } as const;
const OPTIONS: Record<keyof typeof PORTS, string[]> = {
  sentinel: ['sentinel_username', 'sentinel_password'],
  cluster: [],
};
const FORMS =
  'is none of redis://host:port, redis+sentinel://host:port,host:port/primary-name and redis+cluster://host:port,host:port, or these with rediss for TLS';

/**
 * Reads an address of Redis: `redis://`, `redis+sentinel://` or `redis+cluster://`, with `rediss` for TLS (k8s/operations.md
 * "Redis that fails over").
 *
 * @throws Error that says what is wrong with it, without a name or a password.
 */
export function parseRedisAddress(text: string): RedisAddress {
  const [, scheme, kind, credentials = '', hosts = '', rest = ''] =
    /^(rediss?)(?:\+(sentinel|cluster))?:\/\/([^/?]*@)?([^/?@]*)(.*)$/.exec(text) ?? [];
  if (kind !== 'sentinel' && kind !== 'cluster') return plainAddress(text, hosts);
  const urls = hosts.split(',').map((host) => parseUrl(`redis://${credentials}${host}${rest}`));
  const [{ username, password, pathname, searchParams }] = urls as [URL];
  const path = decode(pathname.slice(1));
  const servers: Servers = {
    nodes: urls.map((url) => ({ host: hostOf(url), port: Number(url.port || PORTS[kind]) })),
    tls: scheme === 'rediss',
    username: decode(username) || undefined,
    password: decode(password) || undefined,
  };
  if ([...searchParams.keys()].some((key) => !OPTIONS[kind].includes(key))) {
    throw new Error(`has other options than ${OPTIONS[kind].join(' and ') || 'none'}`);
  }
  if (kind === 'cluster') {
    if (path) throw new Error('has a path, but a Redis Cluster has neither a name nor a second database');
    return { kind, ...servers };
  }
  if (!path || path.includes('/')) {
    throw new Error('does not end with / and the name by which its sentinels know the primary');
  }
  const option = (name: string) => searchParams.get(name) || undefined;
  return {
    kind,
    ...servers,
    primary: path,
    sentinelUsername: option('sentinel_username'),
    sentinelPassword: option('sentinel_password'),
  };
}

/** Returns what is wrong with an address of Redis; undefined where nothing is. */
export function explainRedisAddress(text: string): string | undefined {
  try {
    parseRedisAddress(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the addresses of a list, separated by blanks or line breaks. */
export function splitRedisAddresses(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Returns what is wrong with the first wrong address of a list; undefined where nothing is. */
export function explainRedisAddresses(text: string): string | undefined {
  const wrong = splitRedisAddresses(text).map(explainRedisAddress);
  const first = wrong.findIndex((why) => why !== undefined);
  return first < 0 ? undefined : `holds an address, the ${first + 1}. one, that ${wrong[first]}`;
}

function plainAddress(text: string, hosts: string): RedisAddress {
  if (!/^rediss?:\/\/./.test(text)) throw new Error(FORMS);
  if (hosts.includes(',')) {
    throw new Error('names several hosts: write redis+sentinel:// or redis+cluster:// for what they are');
  }
  return { kind: 'plain', url: text };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url?.hostname)
    throw new Error('has an empty or malformed host, or a sign in its password that must be %-encoded');
  return url;
}

/** Returns the host without the brackets of an IPv6 address. */
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
