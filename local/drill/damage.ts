import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Connection } from 'mongoose';
import { type AccountLimits, AccountLimitsStore } from '#services/api/accounts/account-limits.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { provideCanaryAccount } from '../canary-account.ts';
import { localFolder } from '../folders.ts';
import { isRunning, type ProcessId, signalGroup } from '../process/process-id.ts';
import { readJson } from '../read-json.ts';
import { SetupError } from '../setup-error.ts';
import type { RunningSystem } from '../start/running-system.ts';
import { DemoClient } from './demo-client.ts';

/** What a drill breaks, with what must be known to put it right. */
export type Damage =
  /** A process of `npm start` is stopped, at times or all the time. */
  | { kind: 'frozen'; process: ProcessId }
  /** The children of a process of `npm start` are killed, as long as the drill runs. */
  | { kind: 'children-killed'; process: ProcessId }
  /** The Redis of the labels has other settings, and a key that fills it. */
  | { kind: 'label-cache-full'; process: ProcessId; before: Record<string, string> }
  /** A process of the drill's own. */
  | { kind: 'started'; process: ProcessId }
  /** A webhook of the account `demo`. */
  | { kind: 'webhook'; url: string }
  | { kind: 'limits'; account: string; before: Partial<AccountLimits> }
  /** The canary's key is none any more. */
  | { kind: 'canary-key' };

/** The key that fills the Redis of the labels. */
export const FILLER = '{guias}:label:simulacro';

type Recorded = { fault: string; damages: Damage[] };
const FILE = join(localFolder, 'drill.json');
/** A new `npm start` has no frozen process, an empty Redis of the labels and the canary's key; the rest is in MongoDB. */
const DAMAGED =
  'está dañado, y no dice qué descompuso el simulacro. Detenga npm start, borre el archivo e inicie otra vez. Si en la base ' +
  'queda algo, un webhook de demo o límites de otro, npm start -- --fresh empieza con una vacía.';

/** Damages of the drill that runs, or was killed, in `.local/drill.json`. Each is written before it is done; a process of its own, once it runs. */
export class DamageRecord {
  readonly fault: string;
  readonly damages: Damage[];
  readonly #isOwn: boolean;

  /** @param isOwn whether this process does the damage. */
  private constructor({ fault, damages }: Recorded, isOwn: boolean) {
    this.fault = fault;
    this.damages = damages;
    this.#isOwn = isOwn;
  }

  static begin(fault: string): DamageRecord {
    const record = new DamageRecord({ fault, damages: [] }, true);
    record.#write();
    return record;
  }

  /**
   * Returns undefined if every drill has put right what it broke.
   * @throws SetupError for a damaged file.
   */
  static read(): DamageRecord | undefined {
    const recorded = readJson<Recorded>(FILE, DAMAGED);
    return recorded && new DamageRecord(recorded, false);
  }

  add(damage: Damage): void {
    this.damages.push(damage);
    this.#write();
  }

  /**
   * Puts everything right, and then forgets it.
   * @param system undefined if `npm start` does not run.
   * @throws SetupError if something stays broken, which is then remembered.
   */
  async repairAll(system: RunningSystem | undefined): Promise<void> {
    // What hangs goes on first: the rest may need it.
    const isFrozen = ({ kind }: Damage) => kind === 'frozen';
    const inOrder = this.damages.toSorted((one, other) => Number(isFrozen(other)) - Number(isFrozen(one)));
    try {
      for (const damage of inOrder) await repair(damage, system, this.#isOwn);
    } catch (cause) {
      const { message } = cause as Error;
      const advice = 'Con npm start en marcha, ejecute npm run drill -- --end';
      throw new SetupError(`No todo quedó como estaba (${message}). ${advice}`, { cause });
    }
    rmSync(FILE);
  }

  #write(): void {
    const { fault, damages } = this;
    writeFileSync(`${FILE}.partial`, JSON.stringify({ fault, damages } satisfies Recorded));
    renameSync(`${FILE}.partial`, FILE);
  }
}

async function repair(damage: Damage, system: RunningSystem | undefined, isOwn: boolean): Promise<void> {
  switch (damage.kind) {
    case 'frozen':
      signalGroup(damage.process, 'SIGCONT');
      return;
    case 'children-killed':
      return; // who killed them is gone
    case 'started':
      return end(damage.process, isOwn ? 0 : END_TIMEOUT_MS);
    case 'label-cache-full':
      // A Redis that was started again has neither the settings nor the key.
      if (system && isRunning(damage.process)) await emptyLabelCache(system, damage.before);
      return;
    case 'webhook':
      return removeWebhook(required(system), damage.url);
    case 'limits':
      return restoreLimits(required(system), damage.account, damage.before);
    case 'canary-key':
      if (system) await restoreCanaryKey(system);
      return;
  }
}

function required(system: RunningSystem | undefined): RunningSystem {
  if (system) return system;
  throw new Error('npm start no corre');
}

/** In ms: longer than a service takes to end. */
const END_TIMEOUT_MS = 25_000;

/**
 * Asks first: of a service that says goodbye, "Estado" does not say that it is missing. Linux has asked one whose drill died
 * (`owned-process.ts`), and a service that is asked twice ends at once, without a goodbye.
 * @param askAfterMs how long it may take to end by itself.
 */
async function end(process: ProcessId, askAfterMs: number): Promise<void> {
  const began = performance.now();
  let isAsked = false;
  while (isRunning(process)) {
    const waited = performance.now() - began;
    if (waited >= askAfterMs && !isAsked) isAsked = signalGroup(process, 'SIGTERM');
    if (waited > askAfterMs + END_TIMEOUT_MS) signalGroup(process, 'SIGKILL');
    await sleep(50);
  }
}

/** Runs commands of Redis as the user `operator`. */
export async function inLabelCache<T>(
  { labelCacheUrl }: RunningSystem,
  work: (redis: Redis) => Promise<T>,
): Promise<T> {
  const redis = new Redis(labelCacheUrl, { commandTimeout: 10_000, maxRetriesPerRequest: 1 });
  redis.on('error', () => {}); // the command rejects
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

function emptyLabelCache(system: RunningSystem, before: Record<string, string>): Promise<void> {
  return inLabelCache(system, async (redis) => {
    for (const [name, value] of Object.entries(before)) await redis.config('SET', name, value);
    await redis.unlink(FILLER);
  });
}

async function removeWebhook({ addresses }: RunningSystem, url: string): Promise<void> {
  const demo = new DemoClient(addresses.api, 'demo', AbortSignal.timeout(60_000));
  const { status, data } = await demo.request('GET', '/api/webhooks');
  if (status !== 200) throw new Error(`La API no lista los webhooks de demo (${status})`);
  const own = (data as { Id: string; Url: string }[]).filter(({ Url }) => Url === url);
  for (const { Id } of own) {
    const removal = await demo.request('DELETE', `/api/webhooks/${Id}`);
    if (removal.status !== 200 && removal.status !== 404)
      throw new Error(`La API no elimina el webhook del simulacro (${removal.status})`);
  }
}

/** Runs `work` on the limits of accounts that differ from those of the settings. */
export function withLimits<T>(
  system: RunningSystem,
  work: (limits: AccountLimitsStore) => Promise<T>,
): Promise<T> {
  return inMongo(system, (mongo) => work(new AccountLimitsStore(mongo)));
}

export async function inMongo<T>(
  { mongoUri }: RunningSystem,
  work: (mongo: Connection) => Promise<T>,
): Promise<T> {
  const mongo = await connectMongo(mongoUri, createLogger('drill', 'silent'));
  try {
    return await work(mongo);
  } finally {
    await mongo.close();
  }
}

function restoreLimits(system: RunningSystem, account: string, before: Partial<AccountLimits>) {
  return withLimits(system, async (limits) => {
    await limits.remove(account);
    if (Object.keys(before).length > 0) await limits.set(account, before);
  });
}

/** Makes the canary's account as `npm start` does. */
async function restoreCanaryKey({ environments: { canary }, mongoUri }: RunningSystem): Promise<void> {
  const secretIn = (file = '') => readFileSync(file, 'utf8');
  const { CANARY_KEY_FILE, CANARY_PASSWORD_FILE } = canary;
  await provideCanaryAccount(mongoUri, {
    key: secretIn(CANARY_KEY_FILE),
    password: secretIn(CANARY_PASSWORD_FILE),
  });
}
