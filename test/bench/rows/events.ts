import { mongo } from 'mongoose';
import { encodeCursor } from '#services/api/tracking/read-events.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { ApiClient } from '../load/api-client.ts';
import { inParallel, untilStopped } from '../load/load.ts';
import { percentile } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { databaseUri, withSystem } from '../system/system.ts';

const BATCH = 500;
const INSERTED_AT_A_TIME = 5_000;
const NUMBER = '390458235877';

/** Events a second, pages of the feed, and labels beside a load of scans. */
export async function events(run: Run): Promise<Result[]> {
  return [...(await registering(run)), ...(await feed(run))];
}

async function registering(run: Run): Promise<Result[]> {
  return withSystem(run, async ({ addresses, api }) => {
    const scanner = await ApiClient.login(addresses.api, 'escaner');
    const many: number[] = [];
    const single: number[] = [];
    const labelAlone: number[] = [];
    const labelBeside: number[] = [];
    await api.warmUp(run.count(500));
    for (let round = 0; round < run.rounds; round++) {
      run.say(`events, round ${round + 1}…`);
      const batches = Array.from({ length: run.count(40) }, () => BATCH);
      const guides = await api.newGuides(batches.length * BATCH);
      const places = batches.map((_, i) => guides.slice(BATCH * i, BATCH * (i + 1)));
      many.push(BATCH * (await inParallel(places, 4, (numbers) => scanner.scan(numbers))).perSecond);
      const some = guides.slice(0, run.count(2_000));
      single.push((await inParallel(some, 16, (number) => scanner.scan([number]))).perSecond);
      const labels = await api.newGuides(run.count(400));
      const half = labels.length / 2;
      const one = (numbers: string[]) => inParallel(numbers, 1, (number) => api.label(number));
      labelAlone.push(percentile((await one(labels.slice(0, half))).latencies, 0.5));
      let scanned = 0;
      const scans = untilStopped(() => scanner.scan([some[scanned++ % some.length] as string]));
      labelBeside.push(percentile((await one(labels.slice(half))).latencies, 0.5));
      await scans.stop();
    }
    await scanner.close();
    return [
      { id: 'events-500', rounds: many },
      { id: 'events-one', rounds: single },
      { id: 'events-label', rounds: labelBeside.map((beside, i) => beside / (labelAlone[i] ?? 1)) },
    ];
  });
}

/** Pages of a walk through a full log, at its start and at its end; one client alone. */
async function feed(run: Run): Promise<Result[]> {
  const full = databaseUri(run, 'bench-events');
  run.say(`storing ${run.guides} events…`);
  await loadEvents(full, run.guides);
  return withSystem(
    run,
    async ({ api }) => {
      const first: number[] = [];
      const last: number[] = [];
      const pages = run.count(100);
      for (let round = 0; round < run.rounds; round++) {
        first.push(await walk(api, 0, pages));
        last.push(await walk(api, Math.max(0, run.guides - BATCH * pages), pages));
      }
      return [
        { id: 'feed-first', rounds: first, note: `${run.guides} events` },
        { id: 'feed-last', rounds: last },
      ];
    },
    full,
  );
}

async function loadEvents(uri: string, count: number): Promise<void> {
  const client = await mongo.MongoClient.connect(uri);
  const entries = client.db().collection<LogEntry>('events');
  const registered = new Date(Date.now() - 60_000);
  const newEntry = (number: number): LogEntry => ({
    _id: `demo ${String(number).padStart(12, '0')}`,
    append: 'bench',
    registered,
    told: {
      Guia: NUMBER,
      Id: `e${number}`,
      Tipo: 'EnTransito',
      Ocurrido: registered.toISOString(),
      Sucursal: 'MTY01',
    },
    status: 'EnTransito',
    version: number,
    username: 'escaner',
    reference: 'PEDIDO-1042',
  });
  for (let done = 0; done < count; done += INSERTED_AT_A_TIME) {
    const size = Math.min(INSERTED_AT_A_TIME, count - done);
    await entries.insertMany(Array.from({ length: size }, (_, i) => newEntry(done + i + 1)));
  }
  await client.close();
}

/** @returns the median time of a page, in ms. */
async function walk(api: ApiClient, number: number, pages: number): Promise<number> {
  let cursor = encodeCursor(number);
  const { latencies } = await inParallel(Array.from({ length: pages }), 1, async () => {
    cursor = await api.feed(cursor);
  });
  return percentile(latencies, 0.5);
}
