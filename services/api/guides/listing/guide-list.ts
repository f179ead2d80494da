import { setTimeout as delay } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import { DomainError } from '#shared/errors.ts';
import type { CreationOutcomes } from '../creations/creation-outcomes.ts';
import { guideSteps, guidesOfDriver, inStep } from '../guide-steps.ts';
import type { BranchOfGuide, GuideDocument, GuideRecord, GuideStatus } from '../guide-store.ts';
import type { Position } from './cursor.ts';

/** What a list shows of a guide. */
export type ListedGuide = Pick<GuideRecord, 'number' | 'status' | 'createdAt' | 'freight' | 'total'> & {
  origin: Pick<BranchOfGuide, 'code'>;
  destination: Pick<BranchOfGuide, 'code'>;
  guide: { Remitente: { Nombre: string }; Destinatario: { Nombre: string }; Referencia?: string };
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
/** `next`: where the next page begins; undefined after the last one. */
export type GuidePage = { guides: ListedGuide[]; next: Position | undefined };

type Row = Omit<ListedGuide, 'number'> & Pick<GuideDocument, '_id' | 'creation' | 'pendingUntil'>;
type Conditions = mongo.Filter<GuideDocument>;

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;
const FIELDS = {
  ...{ creation: 1, pendingUntil: 1, createdAt: 1, status: 1, freight: 1, total: 1 },
  ...{ 'origin.code': 1, 'destination.code': 1 },
  ...{ 'guide.Remitente.Nombre': 1, 'guide.Destinatario.Nombre': 1, 'guide.Referencia': 1 },
};
/** Guides that are read at a time where some of them are left out, and most of them for one page. */
const BATCH = 250;
const MAX_LOOKED_AT = 1_000;
/** Guides that one step of a walk looks at, and the pause after it, in ms. */
const STEP_SIZE = 1_000;
const STEP_PAUSE_MS = 20;
/** Selects guides of release 1.1: `null` is also what is not there. */
const NO_ACCOUNT = { account: null } as unknown as Conditions;
/** The same as an expression, for which no index is asked: that of accounts has entries of all that the walk has changed. */
const STILL_NO_ACCOUNT = { $expr: { $eq: [{ $ifNull: ['$account', ''] }, ''] } };

/**
 * Lists the guides of an account, newest first, from MongoDB (docs/decisions/0032-listing-guides.md).
 *
 * The indexes have what is equal, then the order, so a page costs the same wherever it is. Status and destination are in
 * none: an index for each costs every creation. Guides that these leave out are looked at, up to a bound for each page.
 */
export class GuideList {
  readonly #guides: mongo.Collection<GuideDocument>;
  readonly #outcomes: CreationOutcomes;
  #indexed = false;
  #ready = false;

  constructor(connection: Connection, outcomes: CreationOutcomes) {
    this.#guides = guidesOfDriver(connection);
    this.#outcomes = outcomes;
  }

  /**
   * Creates the indexes, and gives guides of release 1.1 the account that they count to; only then pages are right. May be
   * called again at any time: it goes on where it stopped, and finds what an api of 1.1 has stored meanwhile.
   */
  async open(end: AbortSignal): Promise<void> {
    if (!this.#indexed) await this.#createIndexes();
    this.#indexed = true;
    await this.#assignAccounts(end);
    this.#ready ||= !end.aborted;
  }

  async #createIndexes(): Promise<void> {
    await this.#guides.createIndex({ account: 1, ...NEWEST_FIRST });
    await this.#guides.createIndex(
      { account: 1, 'guide.Referencia': 1, ...NEWEST_FIRST },
      { partialFilterExpression: { 'guide.Referencia': { $exists: true } } },
    );
  }

  /** Gives guides the account of their creator's name: few at once, many in a walk, which no index slows as it goes. */
  async #assignAccounts(end: AbortSignal): Promise<void> {
    const without = await this.#guides
      .find(NO_ACCOUNT)
      .project<{ _id: string }>({ _id: 1 })
      .limit(STEP_SIZE)
      .toArray();
    const numbers = without.map(({ _id }) => _id);
    if (numbers.length === 0) return;
    if (numbers.length < STEP_SIZE) return this.#assign({ _id: { $in: numbers } });
    for await (const step of guideSteps(this.#guides, STEP_SIZE)) {
      if (end.aborted) return;
      await this.#assign(inStep(step));
      await delay(STEP_PAUSE_MS, undefined, { signal: end }).catch(() => {});
    }
  }

  async #assign(guides: Conditions): Promise<void> {
    await this.#guides.updateMany({ ...guides, ...STILL_NO_ACCOUNT }, [{ $set: { account: '$username' } }]);
  }

  /**
   * Returns guides of an account after a position. A page that leaves guides out may have fewer than `limit`, or none, and
   * still not be the last.
   *
   * @throws DomainError `unavailable` until `open` is done for the first time.
   */
  async page(filter: GuideFilter, after: Position | undefined, limit: number): Promise<GuidePage> {
    if (!this.#ready) throw new DomainError('unavailable');
    const isListed = listedBy(filter);
    const guides: ListedGuide[] = [];
    let next = after;
    let lookedAt = 0;
    for await (const rows of this.#rows(filter, after, isListed ? BATCH : limit + 1)) {
      const visible = new Set(await this.#outcomes.visible(rows));
      for (const row of rows) {
        if (guides.length === limit) return { guides, next };
        next = positionOf(row);
        if (visible.has(row) && (!isListed || isListed(row))) guides.push(toListed(row));
      }
      lookedAt += rows.length;
      if (lookedAt >= MAX_LOOKED_AT) return { guides, next };
    }
    return { guides, next: undefined };
  }

  /** Reads the guides of a filter after a position, `size` at a time; the last rows are fewer. */
  async *#rows(filter: GuideFilter, after: Position | undefined, size: number): AsyncGenerator<Row[]> {
    for (let position = after; ; ) {
      const rows: Row[] = [];
      for (const range of rangesOf(filter, position)) {
        if (rows.length < size) rows.push(...(await this.#find(filter, range, size - rows.length)));
      }
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < size) return;
      position = positionOf(last);
    }
  }

  #find({ account, reference }: GuideFilter, range: Conditions, limit: number): Promise<Row[]> {
    const named = reference === undefined ? {} : { 'guide.Referencia': reference };
    return this.#guides
      .find({ account, ...named, ...range } as Conditions)
      .project<Row>(FIELDS)
      .sort(NEWEST_FIRST)
      .limit(limit)
      .toArray();
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
function listedBy({ status, destination }: GuideFilter): ((row: Row) => boolean) | undefined {
  if (status === undefined && destination === undefined) return undefined;
  return (row) =>
    (status === undefined || row.status === status) &&
    (destination === undefined || row.destination.code === destination);
}

function positionOf({ createdAt, _id }: Row): Position {
  return { createdAt, number: _id };
}

function toListed({ _id, creation, pendingUntil, ...listed }: Row): ListedGuide {
  return { ...listed, number: _id };
}
