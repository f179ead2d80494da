import type { Connection } from 'mongoose';
import type { Collected } from '#shared/cod/collection-model.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import { GUIDES, type GuideDocument } from '#shared/guides/guide-model.ts';
import { chunks } from '#shared/stores/chunks.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';
import { STORE_MS } from '../guides/attempts.ts';
import { GuideStore, guideSteps } from '../guides/guide-store.ts';
import type { Follower } from '../tracking/following.ts';
import { GuideProgress } from '../tracking/guide-state.ts';
import { amountOf, concernsMoney, differenceOf, movementKey, movementsOf, sumOf } from './collected.ts';
import { CollectionStore } from './collection-store.ts';
import { Ledger, ledgerOf, type NewEntry } from './ledger.ts';

type Deps = { ledger: Ledger; collections: CollectionStore; eventLog: EventLog };
type Told = { guide: GuideDocument; told: readonly EventBody[] };

/** Returns what makes movements of events, by what the database has. */
export function storedFollower(mongo: Connection): Follower {
  const eventLog = new EventLog(mongo);
  return followerOf({ ledger: new Ledger(mongo), collections: new CollectionStore(mongo), eventLog });
}

/** Returns what stores the money that events tell of: movements, and what was collected of each guide. */
export function followerOf(deps: Deps): Follower {
  return async (guides) => {
    const concerned = guides.filter(({ guide, told }) => concernsMoney(guide.guide, told));
    const found = concerned.map(({ guide }) => guide);
    if (found.length > 0) await follow(deps, found);
  };
}

/**
 * Makes what is missing of guides' movements, and stores what was collected. It reads the events again: while a guide is
 * moved, another process may append to another log, and of the two the later reader sees both.
 */
async function follow(
  { ledger, collections, eventLog }: Deps,
  guides: readonly GuideDocument[],
): Promise<void> {
  const entries = await eventLog.ofGuides(guides.map(({ _id }) => _id));
  const byGuide = Map.groupBy(entries, ({ told }) => told.Guia);
  const all = guides.map((guide) => ({
    guide,
    told: (byGuide.get(guide._id) ?? []).map(({ told }) => told),
  }));
  for (const [name, own] of Map.groupBy(all, ({ guide }) => ledgerOfGuide(guide)))
    await addMovements(ledger, name, own);
  await collections.store(all.map(collectedOf));
}

async function addMovements(ledger: Ledger, name: string, guides: readonly Told[]): Promise<void> {
  const wanted = guides.flatMap(({ guide: { expiresAt }, told }) =>
    movementsOf(told).map((movement) => ({ movement, ...(expiresAt && { expiresAt }) })),
  );
  if (wanted.length === 0) return;
  const numbers = guides.map(({ guide }) => guide._id);
  const decide = async (): Promise<{ entries: NewEntry[]; result: undefined }> => {
    const known = new Set((await ledger.ofGuides(numbers)).map(movementKey));
    return {
      entries: wanted.filter(({ movement }) => !known.has(movementKey(movement))),
      result: undefined,
    };
  };
  await ledger.append(name, decide, AbortSignal.timeout(STORE_MS));
}

/** Returns the account whose money it is: that for which the guide was created, also after a move. */
function accountOf({ account, createdFor }: GuideDocument): string {
  return createdFor ?? account;
}

function ledgerOfGuide(guide: GuideDocument): string {
  return ledgerOf({ account: accountOf(guide), test: isTestNumber(guide._id) });
}

function collectedOf({ guide, told }: Told): Collected {
  const { _id, createdAt, expiresAt, guide: sent } = guide;
  const { status } = new GuideProgress(told, sent.Producto.Paquetes ?? 1);
  const [amount, collected] = [amountOf(sent), sumOf(movementsOf(told))];
  const difference = differenceOf({ status, amount, collected });
  return {
    _id,
    account: accountOf(guide),
    createdAt,
    ...(sent.Referencia !== undefined && { reference: sent.Referencia }),
    ...{ status, events: told.length, amount, collected },
    ...(difference && { difference }),
    ...(expiresAt && { expiresAt }),
  };
}

/** Guides of which the events are read at once, and guides of a stretch in which they are looked for. */
const GUIDES_AT_ONCE = 500;
const STRETCH = 10_000;

/**
 * Compares all guides of which money was collected, or should have been, with their events, and makes what is missing: a
 * process of the release before registers events without it. @returns how many guides were seen.
 */
export async function followAgain(mongo: Connection, onProgress: (guides: number) => void): Promise<number> {
  const [eventLog, guides] = [new EventLog(mongo), new GuideStore(mongo)];
  const [ledger, collections] = [new Ledger(mongo), new CollectionStore(mongo)];
  const follower = followerOf({ ledger, collections, eventLog });
  let seen = 0;
  for await (const numbers of numbersOf(mongo, collections)) {
    const found = await Promise.all(numbers.map((number) => guides.find(number)));
    const entries = await eventLog.ofGuides(numbers);
    const byGuide = Map.groupBy(entries, ({ told }) => told.Guia);
    const known = found.filter((guide) => guide !== undefined);
    await follower(
      known.map((guide) => ({ guide, told: (byGuide.get(guide._id) ?? []).map(({ told }) => told) })),
    );
    seen += numbers.length;
    onProgress(seen);
  }
  return seen;
}

/** Reads the numbers of guides with a Cobro, and then of those of which money was collected. Most are there twice. */
async function* numbersOf(mongo: Connection, collections: CollectionStore): AsyncGenerator<string[]> {
  for await (const { filter } of guideSteps(mongo, STRETCH)) {
    const found = await modelOf(mongo, GUIDES)
      .find({ ...filter, 'guide.Cobro': { $exists: true } })
      .select<{ _id: string }>({ _id: 1 })
      .sort({ _id: 1 })
      .lean();
    const numbers = found.map(({ _id }) => _id);
    yield* chunks(numbers, GUIDES_AT_ONCE);
  }
  yield* collections.numbers(GUIDES_AT_ONCE);
}
