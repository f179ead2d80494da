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
/** The last guide that was read, newest first. */
export type Position = { createdAt: string; number: string };
/** `next`: where the next page begins; undefined after the last one. */
export type GuidePage = { guides: ListedGuide[]; next: Position | undefined };

type Conditions = QueryFilter<GuideDocument>;

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;
/** Guides read at a time if some are filtered out, and most of them for one page. */
const BATCH = 250;
const MAX_LOOKED_AT = 1_000;

/**
 * Lists the guides of an account, newest first.
 *
 * Status and destination are not indexed, because more indexes slow creations. Guides that these leave out are read,
 * up to a bound for each page.
 */
export class GuideList {
  readonly #guides: StoredModel<GuideDocument>;

  constructor(connection: Connection) {
    this.#guides = modelOf(connection, GUIDES);
  }

  /**
   * Returns guides after a position. A filtered page may have fewer than `limit` guides, even none, and not be the
   * last.
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
 * Returns the conditions of the guides after a position, in order. Guides of the same second are one condition: each
 * is one range of the index.
 */
function rangesOf({ from = '', until = '~' }: GuideFilter, position: Position | undefined): Conditions[] {
  if (!position) return [{ createdAt: { $gte: from, $lt: until } }];
  const { createdAt, number } = position;
  const end = createdAt < until ? createdAt : until;
  const ofSameTime = from <= createdAt && createdAt < until ? [{ createdAt, _id: { $lt: number } }] : [];
  return [...ofSameTime, { createdAt: { $gte: from, $lt: end } }];
}

/** Returns the filter for what the indexes do not have. */
function listedBy({ status, destination }: GuideFilter): ((guide: ListedGuide) => boolean) | undefined {
  if (status === undefined && destination === undefined) return undefined;
  return (guide) =>
    (status === undefined || guide.status === status) &&
    (destination === undefined || guide.destination.code === destination);
}
