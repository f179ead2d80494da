import { Redis } from 'ioredis';
import type { ApiClient } from '../load/api-client.ts';
import { newGuide } from '../load/guides.ts';
import { readLargeTariff } from '../load/large-tariff.ts';
import { inParallel } from '../load/load.ts';
import { median, ratios } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { withSystem } from '../system/system.ts';
import { type Costs, costResult, costsOf } from './costs.ts';

const CONCURRENCY = 16;
const IN_ONE_REQUEST = 50;
/** Requests with many guides at a time: the load generator shares the cores. */
const LARGE_CONCURRENCY = 4;
const PRICE_ROWS = 100_000;
const PRICING_MS = 5_000;

/** Quotes beside creations, creations with a quote beside those without, and what a tariff costs by itself. */
export async function quotes(run: Run): Promise<Result[]> {
  return [...(await overHttp(run)), ...(await alone(run))];
}

async function overHttp(run: Run): Promise<Result[]> {
  return withSystem(run, async ({ api }) => {
    run.say('quoting, and creating with and without a quote…');
    const redis = new Redis(run.servers.redisUrl);
    try {
      const work = new QuoteWork(api, redis, run.count(2_000));
      await work.quoteEach();
      await work.create(await work.guides(false));
      const rates = {
        one: [] as number[],
        many: [] as number[],
        without: [] as number[],
        with: [] as number[],
      };
      const costs: { one: Costs[]; many: Costs[] } = { one: [], many: [] };
      for (let round = 0; round < run.rounds; round++) {
        const one = await work.quoteEach();
        const many = await work.quoteFifties();
        rates.one.push(one.perSecond);
        rates.many.push(many.perSecond);
        costs.one.push(one.costs);
        costs.many.push(many.costs);
        rates.without.push(await work.create(await work.guides(false)));
        rates.with.push(await work.create(await work.guides(true)));
      }
      const perSecond = (values: readonly number[]) => `${median(values).toFixed(0)}/s`;
      const note = `creations ${perSecond(rates.without)}, with a quote ${perSecond(rates.with)}`;
      return [
        { id: 'quote-one', rounds: rates.one },
        { id: 'quote-50', rounds: rates.many },
        { id: 'quote-against-create', rounds: ratios(rates.one, rates.without), note },
        { id: 'create-with-quote', rounds: ratios(rates.with, rates.without) },
        costResult('cost-quote', costs.one),
        costResult('cost-quote-50', costs.many),
      ];
    } finally {
      redis.disconnect();
    }
  });
}

/** Requests about so many guides at a time. */
class QuoteWork {
  readonly #api: ApiClient;
  readonly #redis: Redis;
  readonly #count: number;

  constructor(api: ApiClient, redis: Redis, count: number) {
    this.#api = api;
    this.#redis = redis;
    this.#count = count;
  }

  /** Asks for one price a request. @returns quotes a second, and what each cost. */
  quoteEach() {
    const guides = Array.from({ length: this.#count }, newGuide);
    return this.#measured(guides.length, () =>
      inParallel(guides, CONCURRENCY, (guide) => this.#api.quote([guide])),
    );
  }

  /** Asks for fifty prices a request. */
  quoteFifties() {
    const requests = Array.from({ length: Math.ceil(this.#count / IN_ONE_REQUEST) }, () =>
      Array.from({ length: IN_ONE_REQUEST }, newGuide),
    );
    return this.#measured(requests.length * IN_ONE_REQUEST, () =>
      inParallel(requests, LARGE_CONCURRENCY, (guides) => this.#api.quote(guides)),
    );
  }

  /** Makes guides, with the quote of each or without one. */
  async guides(quoted: boolean): Promise<object[]> {
    const guides = Array.from({ length: this.#count }, newGuide);
    if (!quoted) return guides;
    const texts: string[] = [];
    for (let start = 0; start < guides.length; start += IN_ONE_REQUEST) {
      texts.push(...(await this.#api.quote(guides.slice(start, start + IN_ONE_REQUEST))));
    }
    return guides.map((guide, i) => ({ ...guide, Cotizacion: texts[i] }));
  }

  /** Creates guides one a request. @returns creations a second. */
  async create(guides: readonly object[]): Promise<number> {
    return (await inParallel(guides, CONCURRENCY, (guide) => this.#api.create([guide]))).perSecond;
  }

  async #measured(
    count: number,
    work: () => Promise<{ seconds: number }>,
  ): Promise<{ perSecond: number; costs: Costs }> {
    let seconds = 0;
    const costs = await costsOf(this.#redis, count, async () => {
      ({ seconds } = await work());
    });
    return { perSecond: count / seconds, costs };
  }
}

/** The pure function, and the reading of a large tariff, in a process of their own. */
async function alone(run: Run): Promise<Result[]> {
  const measured: Awaited<ReturnType<typeof readLargeTariff>>[] = [];
  for (let round = 0; round < run.rounds; round++) {
    run.say(`pricing alone, and reading ${PRICE_ROWS} price rows…`);
    measured.push(await readLargeTariff({ rows: PRICE_ROWS, pricingMs: run.count(PRICING_MS) }));
  }
  const peak = median(measured.map(({ peakMiB }) => peakMiB));
  const note = `while it is read, the process grows by ${peak.toFixed(0)} MiB`;
  return [
    { id: 'price-alone', rounds: measured.map(({ perSecond }) => perSecond) },
    { id: 'tariff-read', rounds: measured.map(({ seconds }) => seconds) },
    { id: 'tariff-stall', rounds: measured.map(({ stallMs }) => stallMs) },
    { id: 'tariff-memory', rounds: measured.map(({ heapMiB }) => heapMiB), note },
  ];
}
