import type { Connection } from 'mongoose';
import { UserStore } from '#shared/accounts/user-store.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import { GUIDES, type GuideDocument } from '#shared/guides/guide-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { countEvents } from './count-events.ts';
import { addTo, type Usage } from './figures.ts';
import { readLabelUsage } from './label-usage.ts';
import { rangeInLog } from './log-range.ts';
import type { Period } from './months.ts';
import { BILLED_FIELDS, type BilledFields, billedAtCreation, figuresOfGuide } from './unquoted.ts';
import type { ReadOptions, UsageOptions } from './usage-options.ts';

/** Guides of one query. */
const GUIDES_AT_A_TIME = 1_000;

type CountedGuide = Pick<GuideDocument, '_id' | 'account' | 'createdFor' | 'createdAt' | 'total'> &
  BilledFields;

/**
 * Reads what accounts used in a month from guides, events and counts of labels. Memory grows with the accounts, and with the
 * guides that `withoutTariff` takes: guides and events are read page by page, along an index.
 */
export async function readUsage(mongo: Connection, period: Period, of: UsageOptions): Promise<Usage> {
  const { test, account } = of;
  // Customers' accounts need no look: the guides of a canary have numbers of tests.
  const canaries = test ? await new UserStore(mongo).canaryAccounts() : new Set<string>();
  const range = account === undefined ? undefined : await rangeInLog(mongo, account, period);
  const options = { ...of, canaries, range };
  const usage: Usage = new Map();
  await countGuides(mongo, period, options, usage);
  await countEvents(mongo, period, options, usage);
  await countLabels(mongo, period, options, usage);
  const isUsed = ([, figures]: [string, object]) => Object.values(figures).some((figure) => figure !== 0);
  return new Map([...usage].filter(isUsed).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns when a guide of the month was created, in UTC and by the local time of its api; undefined if there is none. */
export async function creationIn(mongo: Connection, { name, next }: Period) {
  const found = await modelOf(mongo, GUIDES)
    .findOne({ account: { $gt: '' }, createdAt: { $gte: name, $lt: next } })
    .select<Pick<GuideDocument, 'createdAt' | 'createdUtc'>>({ createdAt: 1, createdUtc: 1 })
    .sort({ account: 1, createdAt: -1, _id: -1 })
    .lean();
  return found ?? undefined;
}

async function countGuides(
  mongo: Connection,
  period: Period,
  { test, account, canaries, byDay, withoutTariff, onProgress }: ReadOptions,
  usage: Usage,
): Promise<void> {
  const walk = new GuideWalk(mongo, period);
  let seen = 0;
  for await (const page of account === undefined ? walk.all() : walk.of(account)) {
    for (const guide of page) {
      const { _id, account, createdFor = account, createdAt, total, billed } = guide;
      if (billed || isTestNumber(_id) !== test || canaries.has(createdFor)) continue;
      const price = billedAtCreation(guide);
      addTo(usage, byDay ? createdAt.slice(0, 10) : createdFor, figuresOfGuide(total, price));
      if (price) withoutTariff?.add(createdFor, _id, { after: price });
    }
    seen += page.length;
    onProgress?.(`Guias leidas: ${seen}`);
  }
}

async function countLabels(
  mongo: Connection,
  { name: from }: Period,
  { test, account, canaries, byDay }: ReadOptions,
  usage: Usage,
): Promise<void> {
  const month = from.slice(0, 7);
  for (const [payer, { labels, days = {} }] of await readLabelUsage(mongo, month, { test, account })) {
    if (canaries.has(payer)) continue;
    const byName = byDay
      ? Object.entries(days).map(([day, count]) => [`${month}-${day}`, count] as const)
      : [[payer, labels] as const];
    for (const [name, count] of byName) if (!byDay || name >= from) addTo(usage, name, { labels: count });
  }
}

/** Reads the guides of a period by account, along the index of the list: guides of other periods are skipped there. */
class GuideWalk {
  readonly #mongo: Connection;
  readonly #period: { $gte: string; $lt: string };

  constructor(mongo: Connection, { name, next }: Period) {
    this.#mongo = mongo;
    this.#period = { $gte: name, $lt: next };
  }

  async *all(): AsyncGenerator<CountedGuide[]> {
    for (let account = ''; ; ) {
      const page = await this.#page('account', { account: { $gt: account }, createdAt: this.#period });
      yield page;
      const last = page.at(-1);
      if (!last || page.length < GUIDES_AT_A_TIME) return;
      // The account's other guides may be many pages.
      yield* this.#after('account', last.account, last);
      account = last.account;
    }
  }

  /** Reads the guides that were created for an account, also those that were moved since. */
  async *of(account: string): AsyncGenerator<CountedGuide[]> {
    for await (const page of this.#after('account', account))
      yield page.filter(({ createdFor = account }) => createdFor === account);
    for await (const page of this.#after('createdFor', account))
      yield page.filter((guide) => guide.account !== account);
  }

  async *#after(
    field: 'account' | 'createdFor',
    value: string,
    last?: CountedGuide,
  ): AsyncGenerator<CountedGuide[]> {
    for (let before = last; ; ) {
      const rest = before && {
        createdAt: { ...this.#period, $lte: before.createdAt },
        $or: [{ createdAt: { $lt: before.createdAt } }, { _id: { $lt: before._id } }],
      };
      const page = await this.#page(field, { [field]: value, createdAt: this.#period, ...rest });
      yield page;
      before = page.at(-1);
      if (page.length < GUIDES_AT_A_TIME) return;
    }
  }

  #page(field: 'account' | 'createdFor', filter: object): Promise<CountedGuide[]> {
    return modelOf(this.#mongo, GUIDES)
      .find(filter)
      .select<CountedGuide>({ account: 1, createdFor: 1, createdAt: 1, total: 1, ...BILLED_FIELDS })
      .sort({ [field]: 1, createdAt: -1, _id: -1 })
      .limit(GUIDES_AT_A_TIME)
      .lean()
      .exec();
  }
}
