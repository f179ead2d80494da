import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import type { Webhook } from '#shared/webhooks/webhook-model.ts';
import { newSecret } from '#shared/webhooks/webhook-secrets.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { Client } from '#test/fixtures/client.ts';
import { appendEvents, eventEntries } from '#test/fixtures/event-log.ts';
import { type Received, type Receiver, startReceiver, taking } from '#test/fixtures/receiver.ts';
import { newGuide } from '../load/guides.ts';
import { atRate, inParallel } from '../load/load.ts';
import { percentile } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { cpuByPart } from '../system/process-tree.ts';
import { type BenchSystem, databaseUri, withSystem } from '../system/system.ts';

const MANY = 100;
const HANGING = 10;
const CONCURRENCY = 64;
/** Scans a second, and how many. */
const SCANS = [
  [10, 200],
  [100, 1_000],
] as const;
/** How long it is measured what the processes use while nobody scans. */
const IDLE_MS = 5_000;

/** Where events arrive, with the rows' own connection to the database. */
type Scene = { mongo: Connection; store: WebhookStore; receiver: Receiver; arrived: Map<string, number> };

/** How late events reach webhooks, and what labels lose by it. */
export async function webhooks(run: Run): Promise<Result[]> {
  return withSystem(run, async (system) => {
    const mongo = await connectMongo(databaseUri(run), createLogger('bench', 'silent'));
    const arrived = new Map<string, number>();
    const receiver = await startReceiver();
    receiver.answer = (response, message) => {
      countEvents(message, arrived);
      taking(response, message);
    };
    const scene: Scene = { mongo, store: new WebhookStore(mongo), receiver, arrived };
    try {
      return [...(await delays(run, system, scene)), ...(await labelsBeside(run, system, scene))];
    } finally {
      await receiver.close();
      await mongo.close();
    }
  });
}

/** How late events arrive of some scans a second, and what an event costs. */
async function delays(run: Run, { addresses, api }: BenchSystem, scene: Scene): Promise<Result[]> {
  const scanner = await Client.login(addresses.api, 'escaner');
  const numbers = await api.create(Array.from({ length: 200 }, newGuide));
  const url = `${scene.receiver.url}scans`;
  await scene.store.add({ account: 'demo', url, description: '', cursor: 0 }, newSecret());
  const before = scene.receiver.answer;
  const idle = await ownCpuMs(() => sleep(IDLE_MS));
  const results: Result[] = [];
  for (const [perSecond, usual] of SCANS) {
    const scans = Array.from({ length: run.count(usual) }, (_, i) => `scan-${perSecond}-${i}`);
    const at = new Map<string, number>();
    const seconds: number[] = [];
    let messages = 0;
    scene.receiver.answer = (response, message) => {
      messages++;
      for (const { Id } of JSON.parse(message.body).data.Eventos as { Id: string }[]) {
        const from = at.get(Id);
        if (from !== undefined) seconds.push((performance.now() - from) / 1_000);
      }
      before(response, message);
    };
    const began = performance.now();
    const used = await ownCpuMs(async () => {
      await atRate(scans, perSecond, async (Id) => {
        const Guia = numbers[at.size % numbers.length];
        const event = { Id, Guia, Tipo: 'EnTransito', Ocurrido: new Date().toISOString() };
        at.set(Id, performance.now());
        await scanner.post('/api/eventos', { Eventos: [event] });
      });
      await until(() => seconds.length >= scans.length);
    });
    const spent = used - (idle * (performance.now() - began)) / IDLE_MS;
    results.push(
      { id: `webhooks-delay-${perSecond}-p50`, rounds: [percentile(seconds, 0.5)] },
      { id: `webhooks-delay-${perSecond}-p99`, rounds: [percentile(seconds, 0.99)] },
      { id: `webhooks-messages-${perSecond}`, rounds: [messages / scans.length] },
      { id: `webhooks-cost-${perSecond}`, rounds: [spent / scans.length] },
    );
  }
  scene.receiver.answer = before;
  return results;
}

/** Returns the CPU time that the services and the database use meanwhile, in ms. */
async function ownCpuMs(work: () => Promise<unknown>): Promise<number> {
  const used = () => {
    const byPart = cpuByPart();
    return ['api', 'webhooks', 'database'].reduce((sum, part) => sum + (byPart.get(part) ?? 0), 0);
  };
  const before = used();
  await work();
  return used() - before;
}

/** Labels a second alone, and while a hundred webhooks, of which ten hang, get ten events a second each. */
async function labelsBeside(run: Run, { api }: BenchSystem, scene: Scene): Promise<Result[]> {
  const print = async () => {
    const guides = Array.from({ length: run.count(5_000) }, () => newGuide());
    const numbers: string[] = [];
    for (let i = 0; i < guides.length; i += 400)
      numbers.push(...(await api.create(guides.slice(i, i + 400))));
    return (await inParallel(numbers, CONCURRENCY, (number) => api.label(number))).perSecond;
  };
  await api.warmUp(run.count(500));
  const alone = await print();
  const paths = await behind(scene, 'beside', MANY, 1);
  const hanging = new Set(paths.slice(0, HANGING));
  const before = scene.receiver.answer;
  scene.receiver.answer = (response, message) => {
    if (!hanging.has(message.path)) before(response, message);
  };
  await register(scene, paths);
  const end = new AbortController();
  const scanning = scanUntil(end.signal, scene, paths);
  const sentBefore = total(scene);
  const beside = await print();
  const sent = total(scene) - sentBefore;
  end.abort();
  await scanning;
  const note = `${alone.toFixed(0)} labels/s alone, ${beside.toFixed(0)} beside ${sent} events that were sent meanwhile`;
  return [{ id: 'labels-beside-webhooks', rounds: [beside / alone], note }];
}

/** Appends five events to each account every half second, and has their webhooks looked at. */
async function scanUntil(end: AbortSignal, { mongo }: Scene, paths: readonly string[]): Promise<void> {
  for (let number = 2; !end.aborted; number += 5) {
    const entries = paths.flatMap((path) => eventEntries(path.slice(1), number, number + 4));
    await mongo.collection<LogEntry>('events').insertMany(entries);
    await mongo.collection<Webhook>('webhooks').updateMany({ failures: 0 }, { $min: { dueAt: new Date() } });
    await sleep(500, undefined, { signal: end }).catch(() => {});
  }
}

/** Adds events to the logs of new accounts. @returns their webhooks' paths, which are the accounts' names too. */
async function behind({ mongo }: Scene, name: string, count: number, events: number): Promise<string[]> {
  const accounts = Array.from({ length: count }, (_, i) => `${name}-${i}`);
  for (const account of accounts) await appendEvents(mongo, account, 1, events);
  return accounts.map((account) => `/${account}`);
}

async function register({ store, receiver }: Scene, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const url = new URL(path, receiver.url).href;
    await store.add({ account: path.slice(1), url, description: '', cursor: 0 }, newSecret());
  }
}

function countEvents({ path, body }: Received, arrived: Map<string, number>): void {
  const { length } = JSON.parse(body).data.Eventos;
  arrived.set(path, (arrived.get(path) ?? 0) + length);
}

function total({ arrived }: Scene): number {
  return [...arrived.values()].reduce((sum, count) => sum + count, 0);
}

/** Resolves when it is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20);
}
