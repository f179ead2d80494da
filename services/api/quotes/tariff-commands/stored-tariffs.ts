import type { Connection } from 'mongoose';
import { operatorOf } from '#shared/audit/record-command.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { TariffFolder } from '../tariffs/tariff-files.ts';
import { TariffStore } from '../tariffs/tariff-store.ts';
import { inForceAt, laterThan, type TariffVersion, versionsIn } from '../tariffs/tariff-versions.ts';
import { describeMoment } from './local-days.ts';

/** How far back the database's clock may step from one version to the next, as at an election of MongoDB, in ms. */
const MAX_STEP_BACK_MS = 60_000;

/**
 * Stored versions, and the number of the entry that the next one follows. `now`: when they were read, by the database's
 * clock, in ms since 1970. No other clock decides what is in force.
 */
export type StoredTariffs = {
  mongo: Connection;
  store: TariffStore;
  versions: TariffVersion[];
  last: number;
  now: number;
};

export async function readStoredTariffs(mongo: Connection): Promise<StoredTariffs> {
  const store = new TariffStore(mongo);
  const entries = await store.entries();
  const now = (await store.clock.now()).getTime();
  return { mongo, store, last: entries.at(-1)?._id ?? 0, versions: versionsIn(entries), now };
}

/** Returns the files of a version. @throws Error if there is no such version. */
export async function filesOf({ store }: StoredTariffs, version: number): Promise<TariffFolder> {
  const folder = await store.folder(version);
  if (!folder) throw noVersion(version);
  return folder;
}

/**
 * Stores a version.
 *
 * @param from when it begins, in ms since 1970; without it the version begins now.
 * @returns its number, and what is then so of it, in words.
 */
export async function addVersion(
  { mongo, store, versions, last }: StoredTariffs,
  folder: TariffFolder,
  from?: number,
): Promise<{ version: number; state: string }> {
  const begins = new Date(from ?? beginsNow(versions, (await store.clock.now()).getTime()));
  const added = { folder, from: begins, by: operatorOf(process.env).actor };
  const version = await store.add(last, added).catch(explainChanged);
  return { version, state: describeState(await readStoredTariffs(mongo), version) };
}

/**
 * Returns the moment for a version without a day of its own: not before that of the version before it, so that of such
 * versions the newest is in force.
 */
function beginsNow(versions: readonly TariffVersion[], now: number): number {
  const stepped = versions.filter(({ from, at }) => from <= at.getTime() && from <= now + MAX_STEP_BACK_MS);
  return Math.max(now, ...stepped.map(({ from }) => from));
}

/** Says since when a version is in force, or from when on it will be, or which one is instead; and what comes later. */
function describeState({ versions, now }: StoredTariffs, number: number): string {
  const { from = now } = versions.find((version) => version.number === number) ?? {};
  const inForce = inForceAt(versions, now)?.number;
  const later = laterThan(versions, Math.max(now, from)).map(
    (version) => `\nLa version ${version.number} entra despues, el ${describeMoment(version.from)}`,
  );
  if (inForce === number) return [`en vigor desde ${describeMoment(from)}`, ...later].join('');
  if (from > now) return [`futura: rige desde ${describeMoment(from)}`, ...later].join('');
  return `que no esta en vigor: ${inForce === undefined ? 'no hay ninguna' : `esta la ${inForce}`}. Vea list`;
}

/** Withdraws a version. @returns which one is then in force, in words. */
export async function withdrawVersion(
  { mongo, store, last }: StoredTariffs,
  version: number,
): Promise<string> {
  await store.withdraw(last, version, operatorOf(process.env).actor).catch(explainChanged);
  const { versions, now } = await readStoredTariffs(mongo);
  const inForce = inForceAt(versions, now);
  return inForce ? `en vigor queda la ${inForce.number}` : 'no queda ninguna en vigor';
}

export function noVersion(version: number): Error {
  return new Error(`No hay una version ${version}. Vea list`);
}

function explainChanged(cause: unknown): never {
  if (!(cause instanceof DomainError && cause.code === 'tariffs-changed')) throw cause;
  throw new Error('Alguien cambio las tarifas mientras tanto: no se hizo nada, repita el comando', { cause });
}
