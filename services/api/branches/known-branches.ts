import { LRUCache } from 'lru-cache';
import {
  type Branch,
  type DestinationQuery,
  hasCoverage,
  MAX_RESOLVED,
  type ResolveRequest,
  type ResolveResponse,
} from '#shared/branches/branch.ts';
import { POSTAL_CODE_FORM } from '#shared/branches/postal-code.ts';

/** How long a version holds, in ms. With the 300 ms of the branches service, a load is visible within a second. */
const VERSION_MS = 400;
/** Longest wait for the version, in ms, and the pause after one that was not answered. */
export const VERSION_WAIT_MS = 1_000;
/** How long known answers are used while the branches service is away, in ms (docs/contract.md "Branches"). */
const KEPT_MS = 60_000;
/** Most cached answers: all postal codes, also those that nobody has, and codes of branches. */
const MAX_KNOWN = 120_000;
const MAX_BRANCHES = 10_000;
/**
 * After how long it is asked again for a branch that there was not, and for the list of all coverage, in ms. A directory that
 * had lost rows has the same version when it is whole again.
 */
export const ABSENT_MS = 10_000;

/** The origin of a request, unless any will do, and its destinations. */
export type Query = { origin: string | null; destinations: readonly DestinationQuery[] };
/** A branch, and the route of the postal code that named it, if that has one. */
export type Destination = { branch: Branch; route?: string | undefined };
/** What a query finds, each null unless guides may start or end there. */
export type Answer = {
  origin: Branch | null;
  destinations: (Destination | null)[];
  /** Whether coverage was ever loaded. */
  hasCoverage: boolean;
};
/** A known answer. From `dueAt` on, of `performance.now()`, it serves only while the branches service is away. */
type Known = { branch: Branch | null; route?: string | undefined; dueAt: number };

/** The branches that the branches service has answered, by the version of the load that they are of. */
export class KnownBranches {
  readonly #known = new LRUCache<string, Known>({ max: MAX_KNOWN });
  /** By version and code: thousands of postal codes share one branch. */
  readonly #branches = new LRUCache<string, Branch>({ max: MAX_BRANCHES });
  /** `at`: when the service last confirmed the version, of `performance.now()`. */
  #version: { text: string; at: number } | undefined;
  #versionMissedAt = Number.NEGATIVE_INFINITY;

  /** Returns the version that the service confirmed last, however long ago; empty before the first. */
  get lastVersion(): string {
    return this.#version?.text ?? '';
  }

  /** Returns the version if nobody needs to ask for it: it was just confirmed, or just asked for in vain. */
  currentVersion(): string | undefined {
    const now = performance.now();
    const { text, at = Number.NEGATIVE_INFINITY } = this.#version ?? {};
    const holds = now - at < VERSION_MS;
    const isKept = now - at < KEPT_MS && now - this.#versionMissedAt < VERSION_WAIT_MS;
    return holds || isKept ? text : undefined;
  }

  confirmVersion(text: string): void {
    this.#version = { text, at: performance.now() };
  }

  /** Notes that the service did not say its version. @returns the one to use meanwhile; undefined after a minute. */
  missVersion(): string | undefined {
    this.#versionMissedAt = performance.now();
    const known = this.#version;
    return known && this.#versionMissedAt - known.at < KEPT_MS ? known.text : undefined;
  }

  /** Whether an answer still serves, or serves because the service did not say its version when it was asked last. */
  serves(dueAt: number): boolean {
    const { at = Number.NEGATIVE_INFINITY } = this.#version ?? {};
    return performance.now() < dueAt || this.#versionMissedAt > at;
  }

  /** Returns what to ask next of a query: what this version has no answers for, without doubles; undefined if it has all. */
  missing(version: string, { origin, destinations }: Query): ResolveRequest | undefined {
    const isKnown = (key: string) => {
      const known = this.#known.get(`${version} ${key}`);
      return known !== undefined && this.serves(known.dueAt);
    };
    const origins = origin === null || isKnown(originKey(origin)) ? [] : [origin];
    const unknown = new Map(
      destinations.map((query) => [destinationKey(query), query] as const).filter(([key]) => !isKnown(key)),
    );
    if (origins.length + unknown.size === 0) return undefined;
    return { origins, destinations: withNeighbours([...unknown.values()].slice(0, MAX_RESOLVED)) };
  }

  answer(version: string, { origin, destinations }: Query): Answer {
    const known = (key: string) => this.#known.get(`${version} ${key}`);
    return {
      origin: origin === null ? null : (known(originKey(origin))?.branch ?? null),
      destinations: destinations.map((query) => {
        const { branch, route } = known(destinationKey(query)) ?? {};
        return branch ? { branch, route } : null;
      }),
      hasCoverage: hasCoverage(version),
    };
  }

  /** Keeps what the service answered to `request`, and the version that it confirms thereby. */
  remember(request: ResolveRequest, found: ResolveResponse): void {
    const { version } = found;
    for (const [i, code] of request.origins.entries()) {
      this.#remember(version, originKey(code), found.origins[i]);
    }
    for (const [i, query] of request.destinations.entries()) {
      this.#remember(version, destinationKey(query), found.destinations[i], found.routes?.[i]);
    }
    this.confirmVersion(version);
  }

  #remember(version: string, key: string, found: Branch | null = null, route: string | null = null): void {
    const branch = found && (this.#branches.get(`${version} ${found.Codigo}`) ?? found);
    if (branch) this.#branches.set(`${version} ${branch.Codigo}`, branch);
    const dueAt = branch ? Number.POSITIVE_INFINITY : performance.now() + ABSENT_MS;
    this.#known.set(`${version} ${key}`, { branch, ...(route !== null && { route }), dueAt });
  }
}

/**
 * Adds the postal codes that share their first three digits with one that is asked for, unless the call would be too
 * long. A call for each code would take a third of the time of creations until most codes are known.
 */
function withNeighbours(queries: DestinationQuery[]): DestinationQuery[] {
  const postalCodes = queries.flatMap((query) => ('postalCode' in query ? [query.postalCode] : []));
  const areas = new Set(
    postalCodes.filter((code) => POSTAL_CODE_FORM.test(code)).map((code) => code.slice(0, 3)),
  );
  if (queries.length + areas.size * AREA.length > MAX_RESOLVED) return queries;
  return [...queries, ...[...areas].flatMap((area) => AREA.map((end) => ({ postalCode: area + end })))];
}
/** The last two digits of the postal codes of an area. */
const AREA = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'));

function originKey(code: string): string {
  return `from ${code}`;
}

function destinationKey(query: DestinationQuery): string {
  return 'code' in query ? `to ${query.code}` : `covers ${query.postalCode}`;
}
