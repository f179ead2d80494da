import type { Connection, QueryFilter } from 'mongoose';
import type { GuideStatus } from '#shared/contracts/event-types.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { type BranchOfGuide, GUIDES, type GuideDocument, type GuideRecord } from './guide-model.ts';
import { SUMMARY_PROJECTION } from './guide-summary.ts';

/** A guide as far as a list reads it: `summaryOf` writes it. */
export type ListedGuide = Pick<GuideRecord, 'number' | 'status' | 'createdAt'> & {
  destination: Pick<BranchOfGuide, 'code'>;
};
/** Which guides of an account are listed; absent fields do not restrict. */
export type GuideFilter = {
  account: string;
  /** Local time, of which a prefix will do: inclusive, and exclusive. */
  from?: string | undefined;
  until?: string | undefined;
  reference?: string | undefined;
  status?: GuideStatus | undefined;
  destination?: string | undefined;
};
/** Where a walk over guides stands, newest first: at the guide that was looked at last. */
export type Position = { createdAt: string; number: string };
/** `next`: where the next page begins; undefined after the last one. */
export type GuidePage = { guides: ListedGuide[]; next: Position | undefined };

type Conditions = QueryFilter<GuideDocument>;

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;
/** Guides that are read at a time where some of them are left out, and most of them for one page. */
const BATCH = 250;
const MAX_LOOKED_AT = 1_000;

/**
 * Lists the guides of an account, newest first, from MongoDB.
 *
 * The indexes have what is equal, then the order, so a page costs the same wherever it is. Status and destination are in
 * none: with an index for each, an insert of 500 guides takes 81 ms in place of 57. Guides that these leave out are looked at, up to a bound for each page.
 */
export class GuideList {
  readonly #guides: StoredModel<GuideDocument>;

  constructor(connection: Connection) {
    this.#guides = modelOf(connection, GUIDES);
  }

  /**
   * Returns guides of an account after a position. A page that leaves guides out may have fewer than `limit`, or none, and
   * still not be the last.
   */
  async page(filter: GuideFilter, after: Position | undefined, limit: number): Promise<GuidePage> {
    const isListed = listedBy(filter);
    const guides: ListedGuide[] = [];
    let next = after;
    let lookedAt = 0;
    for await (const rows of this.#rows(filter, after, isListed ? BATCH : limit + 1)) {
      for (const row of rows) {
        if (guides.length === limit) return { guides, next };
        next = row;
        if (!isListed || isListed(row)) guides.push(row);
      }
      lookedAt += rows.length;
      if (lookedAt >= MAX_LOOKED_AT) return { guides, next };
    }
    return { guides, next: undefined };
  }

  /** Reads the guides of a filter after a position, `size` at a time; the last rows are fewer. */
  async *#rows(
    filter: GuideFilter,
    after: Position | undefined,
    size: number,
  ): AsyncGenerator<ListedGuide[]> {
    for (let position = after; ; ) {
      const rows: ListedGuide[] = [];
      for (const range of rangesOf(filter, position)) {
        if (rows.length < size) rows.push(...(await this.#find(filter, range, size - rows.length)));
      }
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < size) return;
      position = last;
    }
  }

  async #find({ account, reference }: GuideFilter, range: Conditions, limit: number): Promise<ListedGuide[]> {
    const named = reference === undefined ? {} : { 'guide.Referencia': reference };
    const found = await this.#guides
      .find({ account, ...named, ...range })
      .select<Omit<ListedGuide, 'number'> & Pick<GuideDocument, '_id'>>(SUMMARY_PROJECTION)
      .sort(NEWEST_FIRST)
      .limit(limit)
      .lean();
    return found.map(({ _id, ...guide }) => ({ ...guide, number: _id }));
  }
}

/**
 * Returns the conditions that guides after a position meet, in the order of the walk. Those of its own second are one of
 * their own: each condition is one stretch of the index, however many guides have the same time.
 */
function rangesOf({ from = '', until = '~' }: GuideFilter, position: Position | undefined): Conditions[] {
  if (!position) return [{ createdAt: { $gte: from, $lt: until } }];
  const { createdAt, number } = position;
  const end = createdAt < until ? createdAt : until;
  const ofSameTime = from <= createdAt && createdAt < until ? [{ createdAt, _id: { $lt: number } }] : [];
  return [...ofSameTime, { createdAt: { $gte: from, $lt: end } }];
}

/** Returns what tells the guides that a filter lists, where the indexes do not. */
function listedBy({ status, destination }: GuideFilter): ((guide: ListedGuide) => boolean) | undefined {
  if (status === undefined && destination === undefined) return undefined;
  return (guide) =>
    (status === undefined || guide.status === status) &&
    (destination === undefined || guide.destination.code === destination);
}
