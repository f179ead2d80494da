import type { Connection, QueryFilter } from 'mongoose';
import { branchCode } from '#shared/branches/branch.ts';
import type { GuideStatus } from '#shared/guides/event-types.ts';
import {
  type BranchOfGuide,
  GUIDES,
  type GuideDocument,
  UNSOUGHT_STATUSES,
} from '#shared/guides/guide-model.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { tidy } from '../http/body.ts';
import {
  encodeCursor,
  type ListParameters,
  NEWEST_FIRST,
  type Period,
  type Position,
  periodOf,
  positionOf,
  USUAL_PAGE,
} from '../http/list-parameters.ts';
import { SUMMARY_PROJECTION } from './guide-summary.ts';

/** A client's parameters, by their names on the wire. */
export type ListRequest = ListParameters & {
  referencia?: string;
  estatus?: GuideStatus;
  destino?: string;
};

/** A guide as far as a list reads it: `summaryOf` writes it. */
export type ListedGuide = Pick<GuideDocument, '_id' | 'status' | 'createdAt'> & {
  destination: Pick<BranchOfGuide, 'code'>;
};
/** Which guides of an account are listed; absent fields do not restrict. */
export type GuideFilter = Period & {
  account: string;
  reference?: string | undefined;
  status?: GuideStatus | undefined;
  destination?: string | undefined;
};
/**
 * `next`: where the next page begins; undefined after the last one. `isCut`: the time was over before the page was full,
 * and the guides after `next` were not looked at.
 */
export type GuidePage = { guides: ListedGuide[]; next: Position | undefined; isCut: boolean };

type Conditions = QueryFilter<GuideDocument>;
/** `indexed`: conditions that an index has. For the others the database reads each guide. */
type Query = { indexed: Conditions; others: Conditions };

/** Longest search for one page, in ms. */
const SEARCH_MS = 3_000;
/** How many guides one query looks through. The first are few, because most pages are soon full. */
const FIRST_STRETCH = 1_000;
const LONGEST_STRETCH = 16_000;
/** Less than the number of any guide. */
const LEAST_NUMBER = '000000000000';

/**
 * Returns a page of the account's guides, newest first, and the cursor of the next one; null after the last.
 * `searchedUntil`: up to which local time the search for them came, if its time was over before the page was full.
 *
 * @throws DomainError `parameter-invalid`, with the parameter.
 */
export async function listGuides(
  list: GuideList,
  account: string,
  request: ListRequest,
): Promise<{ guides: ListedGuide[]; cursor: string | null; searchedUntil?: string }> {
  const { referencia, estatus, destino, limite = USUAL_PAGE } = request;
  const filter = {
    account,
    ...periodOf(request),
    reference: referencia && tidy(referencia),
    status: estatus,
    destination: destino && branchCode(destino),
  };
  const { guides, next, isCut } = await list.page(filter, positionOf(request), limite);
  return {
    guides,
    cursor: next ? encodeCursor(next) : null,
    ...(isCut && next && { searchedUntil: next.createdAt }),
  };
}

/**
 * Lists the guides of an account, newest first.
 *
 * Indexes have the account, the reference, and all states but `UNSOUGHT_STATUSES`. More indexes would slow creations. For
 * other states and for destinations the database looks through the guides, a stretch at a time.
 */
export class GuideList {
  readonly #guides: StoredModel<GuideDocument>;

  constructor(connection: Connection) {
    this.#guides = modelOf(connection, GUIDES);
  }

  /** Returns the first `limit` guides after a position, or those that three seconds of searching found. */
  async page(filter: GuideFilter, after: Position | undefined, limit: number): Promise<GuidePage> {
    const query = queryOf(filter);
    const isIndexed = Object.keys(query.others).length === 0;
    const end = performance.now() + SEARCH_MS;
    const guides: ListedGuide[] = [];
    let position = after;
    for (let length = FIRST_STRETCH; ; length = Math.min(4 * length, LONGEST_STRETCH)) {
      const from = isIndexed ? undefined : await this.#endOfStretch(filter, query, position, length);
      const stretch = from === undefined ? filter : { ...filter, from };
      guides.push(...(await this.#find(query, rangesOf(stretch, position), limit + 1 - guides.length)));
      if (guides.length > limit) {
        const page = guides.slice(0, limit);
        return { guides: page, next: page.at(-1), isCut: false };
      }
      if (from === undefined) return { guides, next: undefined, isCut: false };
      position = { createdAt: from, _id: LEAST_NUMBER };
      if (performance.now() >= end) return { guides, next: position, isCut: true };
    }
  }

  /** Returns the second in which a stretch of `length` guides ends, only from an index; undefined if fewer are left. */
  async #endOfStretch(
    filter: GuideFilter,
    { indexed }: Query,
    position: Position | undefined,
    length: number,
  ): Promise<string | undefined> {
    const [last] = await this.#guides
      .find({ ...indexed, ...rangesOf(filter, position).at(-1) })
      .select<Pick<GuideDocument, 'createdAt'>>({ _id: 0, createdAt: 1 })
      .sort(NEWEST_FIRST)
      .skip(length - 1)
      .limit(1)
      .lean();
    return last?.createdAt;
  }

  async #find({ indexed, others }: Query, ranges: Conditions[], limit: number): Promise<ListedGuide[]> {
    const guides: ListedGuide[] = [];
    for (const range of ranges) {
      if (guides.length === limit) break;
      const found = await this.#guides
        .find({ ...indexed, ...others, ...range })
        .select<ListedGuide>(SUMMARY_PROJECTION)
        .sort(NEWEST_FIRST)
        .limit(limit - guides.length)
        .lean();
      guides.push(...found);
    }
    return guides;
  }
}

/**
 * Returns the conditions of the guides after a position, in order. Guides of the same second are one condition: each
 * is one range of the index.
 */
function rangesOf({ from = '', until = '~' }: GuideFilter, position: Position | undefined): Conditions[] {
  if (!position) return [{ createdAt: { $gte: from, $lt: until } }];
  const { createdAt, _id } = position;
  const end = createdAt < until ? createdAt : until;
  const ofSameTime = from <= createdAt && createdAt < until ? [{ createdAt, _id: { $lt: _id } }] : [];
  return [...ofSameTime, { createdAt: { $gte: from, $lt: end } }];
}

function queryOf({ account, reference, status, destination }: GuideFilter): Query {
  const ofStatus = status !== undefined && { status };
  const isSought = status !== undefined && !(status in UNSOUGHT_STATUSES);
  return {
    indexed: {
      account,
      ...(reference !== undefined && { 'guide.Referencia': reference }),
      ...(isSought && ofStatus),
    },
    others: {
      ...(!isSought && ofStatus),
      ...(destination !== undefined && { 'destination.code': destination }),
    },
  };
}
