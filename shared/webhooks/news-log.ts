import type { Connection } from 'mongoose';
import {
  body,
  type DocumentIn,
  defineCollection,
  KEYWORD,
  MOMENT,
  modelOf,
  type StoredModel,
} from '../stores/collection.ts';
import { DatabaseClock } from '../stores/database-clock.ts';
import {
  after,
  idOf,
  insertNext,
  lastNumber,
  MAJORITY,
  numberOf,
  pauseOvertaken,
} from '../stores/numbered-log.ts';

/**
 * What rooms tell accounts beside events of guides: a log for each topic and account, whose entries have the numbers from 1 on
 * without a gap. Webhooks that ask for the topic get each entry in a message of its own.
 */
export const NEWS = defineCollection(
  'news',
  {
    /** Topic, account and number. */
    _id: KEYWORD,
    /** The field of the message's `data` that lists it. */
    list: KEYWORD,
    at: MOMENT,
    /** As customers see it. */
    entry: body<Record<string, unknown>>(),
  },
  {
    id: 'Topic, account and number',
    holds: 'What is told to webhooks that ask for a topic, such as changes of pick-ups, and remittances',
    life: 'For ever',
    people: { entry: 'nobody: numbers, amounts, states and times' },
    testAccounts: { stay: 'Without the last entry, cursors of webhooks would skip what follows' },
    // The admin's command `cobros` pays, and says so.
    rights: { api: ['find', 'insert'], webhooks: ['find'], admin: ['find', 'insert'] },
  },
);
type StoredNews = DocumentIn<typeof NEWS>;
/** `number`: its place in the log. */
export type News = Omit<StoredNews, '_id'> & { number: number };

export class NewsLog {
  readonly #clock: DatabaseClock;
  readonly #news: StoredModel<StoredNews>;

  constructor(connection: Connection) {
    this.#clock = new DatabaseClock(connection);
    this.#news = modelOf(connection, NEWS);
  }

  /**
   * Appends entries in their order. After a lost answer the caller may repeat them: readers then see them twice.
   * @param signal ends the attempts. Entries before it may be stored.
   */
  async append(
    topic: string,
    account: string,
    list: string,
    entries: readonly Record<string, unknown>[],
    signal: AbortSignal,
  ): Promise<void> {
    let last = await this.last(topic, account);
    for (const entry of entries) {
      signal.throwIfAborted();
      const log = logOf(topic, account);
      while (!(await this.#insert({ _id: idOf(log, last + 1), list, entry }))) {
        await pauseOvertaken();
        signal.throwIfAborted();
        last = await this.last(topic, account);
      }
      last++;
    }
  }

  /** @returns false if another process has taken the number. */
  async #insert(news: Omit<StoredNews, 'at'>): Promise<boolean> {
    return insertNext(this.#news, [{ ...news, at: await this.#clock.now() }]);
  }

  /** Returns the number of the last entry of a topic, 0 without one. */
  last(topic: string, account: string): Promise<number> {
    return lastNumber(this.#news, logOf(topic, account));
  }

  /** Returns the first entry of a topic after a number; undefined if there is none. No failover takes it back. */
  async next(topic: string, account: string, number: number): Promise<News | undefined> {
    const found = await this.#news
      .findOne({ _id: after(logOf(topic, account), number) })
      .readConcern(MAJORITY)
      .sort({ _id: 1 })
      .lean();
    if (!found) return undefined;
    const { _id, ...news } = found;
    return { ...news, number: numberOf(_id) };
  }
}

/** Returns the message of an entry. It is the same at every try. */
export function newsBody(topic: string, { at, list, entry }: Omit<News, 'number'>) {
  return { type: topic, timestamp: at.toISOString(), data: { [list]: [entry] } };
}

/** Returns the name of an account's log of a topic. */
function logOf(topic: string, account: string): string {
  return `${topic} ${account}`;
}
