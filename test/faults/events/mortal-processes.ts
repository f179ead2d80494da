import type { Connection } from 'mongoose';
import { onTestFinished } from 'vitest';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import type { Webhook } from '#shared/webhooks/webhook-model.ts';
import { type Fate, type MongoCommand, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import type { Running } from '#test/fixtures/services.ts';

/** The writes by which an api appends events, and those by which a sender sends a message, in their order. */
export const API_WRITES = ['entries', 'states', 'done', 'wake'] as const;
export const SENDER_WRITES = ['claim', 'begin', 'move', 'release'] as const;
type Write = (typeof API_WRITES | typeof SENDER_WRITES)[number] | 'postpone';

/** What the process's `nth` write of a kind meets. */
export type Meeting = { write: Write; nth: number; fate: Fate | 'killed before' | 'killed after' };
/** What the writes of a process meet until one of them is its last. */
export type Life = Meeting[];

/** A service in this process that reaches MongoDB by a proxy of its own. When the proxy is closed, it can do no more. */
export type Mortal = Running & { died: Promise<void>; stepDown: () => () => void };

/** What processes have left behind: appends that nobody ends, and leases that nobody ends. */
export class Remains {
  readonly #mongo: Connection;
  readonly #appends = new Set<string>();
  readonly #leases = new Set<string>();
  /** Appends that have grown old while they were open. */
  readonly old = new Set<string>();

  constructor(mongo: Connection) {
    this.#mongo = mongo;
  }

  leave(command: MongoCommand): void {
    const { append, lease } = subjectOf(command);
    if (append) this.#appends.add(append);
    if (lease) this.#leases.add(lease);
  }

  /**
   * Lets six seconds pass for such appends, which are then shown though they are open, and half a minute for such leases. Only
   * the first entry of an append says since when it is open.
   */
  async growOld(): Promise<void> {
    const now = Date.now();
    const events = this.#mongo.collection<LogEntry>('events');
    const isOpen = { openSince: { $exists: true }, registered: { $gt: new Date(now - 5_000) } };
    const open = await events.find({ append: { $in: [...this.#appends] }, ...isOpen }).toArray();
    for (const { _id, append } of open) {
      this.old.add(append);
      await events.updateOne({ _id, ...isOpen }, { $set: { registered: new Date(now - 6_000) } });
    }
    // One by one, as `wakeAll` does.
    const webhooks = this.#mongo.collection<Webhook>('webhooks');
    const held = { lease: { $in: [...this.#leases] }, leaseUntil: { $gt: new Date(now) } };
    const ended = { $set: { leaseUntil: new Date(now), dueAt: new Date(now) } };
    for (const { _id } of await webhooks.find(held).toArray())
      await webhooks.updateOne({ _id, ...held }, ended);
  }
}

/** Starts a service that lives such a life, at most until the test is over. @param onWrite is called at each of its writes. */
export async function startMortal(
  start: (settings: { MONGODB_URI: string }) => Promise<Running>,
  mongoUri: string,
  life: Life,
  remains: Remains,
  onWrite: () => void,
): Promise<Mortal> {
  const death = Promise.withResolvers<void>();
  const written: MongoCommand[] = [];
  const counts = new Map<Write, number>();
  let isDown = false;
  const proxy = await startMongoProxy(mongoUri, (command): Fate => {
    const write = writeOf(command);
    if (!write) return 'done';
    onWrite();
    const nth = (counts.get(write) ?? 0) + 1;
    counts.set(write, nth);
    written.push(command);
    const fate = life.find((meeting) => meeting.write === write && meeting.nth === nth)?.fate ?? 'done';
    if (fate === 'killed before' || fate === 'killed after') {
      for (const each of written) remains.leave(each);
      death.resolve();
      if (fate === 'killed after') return 'server lost';
      void proxy.close();
      return 'never done';
    }
    // Whoever gets no answer to the end of an append or to a write of a lease leaves it.
    if ((fate !== 'done' || isDown) && write !== 'entries' && write !== 'states') remains.leave(command);
    return fate;
  });
  onTestFinished(proxy.close);
  const running = await start({ MONGODB_URI: proxy.uri });
  void death.promise.then(() => running.server.close()).catch(() => {});
  const stepDown = () => {
    isDown = true;
    const elect = proxy.stepDown();
    return () => {
      isDown = false;
      elect();
    };
  };
  return { ...running, died: death.promise, stepDown };
}

/** Returns which write of events or webhooks a command is; undefined for others. */
function writeOf(command: MongoCommand): Write | undefined {
  const { insert, update, updates } = command;
  if (insert === 'events') return 'entries';
  if (update === 'guides') return 'states';
  if (update === 'events') return 'done';
  if (update !== 'webhooks') return undefined;
  const [{ q, u }] = updates as [{ q: object; u: Record<string, object> | Record<string, object>[] }];
  const [{ $set = {} } = {}] = [u].flat();
  if ('lease' in $set) return 'claim';
  if (!('lease' in q)) return 'wake';
  if ('lastFailure' in $set) return 'postpone';
  if ('cursor' in $set) return 'move';
  return 'through' in $set ? 'begin' : 'release';
}

/** Returns the append or the lease that a write is about. */
function subjectOf({ documents, updates }: MongoCommand): { append?: string; lease?: string } {
  const [document = {}] = (documents ?? []) as { append?: string }[];
  const [{ q = {}, u = {} } = {}] = (updates ?? []) as {
    q?: { append?: string; lease?: string };
    u?: object;
  }[];
  const { $set = {} } = u as { $set?: { lease?: string } }; // of a claim
  return { ...document, ...q, ...$set };
}
