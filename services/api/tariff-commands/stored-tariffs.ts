import type { Connection } from 'mongoose';
import { operatorOf } from '#shared/audit/record-command.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { TariffFolder } from '../tariffs/tariff-files.ts';
import { TariffStore } from '../tariffs/tariff-store.ts';
import { type TariffVersion, versionsIn } from '../tariffs/tariff-versions.ts';

/** Stored versions, and the number of the entry that the next one follows. */
export type StoredTariffs = {
  mongo: Connection;
  store: TariffStore;
  versions: TariffVersion[];
  last: number;
};

export async function readStoredTariffs(mongo: Connection): Promise<StoredTariffs> {
  const store = new TariffStore(mongo);
  const entries = await store.entries();
  return { mongo, store, last: entries.at(-1)?._id ?? 0, versions: versionsIn(entries) };
}

/** Returns the files of a version. @throws Error if there is no such version. */
export async function filesOf({ store }: StoredTariffs, version: number): Promise<TariffFolder> {
  const folder = await store.folder(version);
  if (!folder) throw noVersion(version);
  return folder;
}

/** Stores a version that begins at a moment, in ms since 1970. @returns its number. */
export async function addVersion(
  { store, last }: StoredTariffs,
  folder: TariffFolder,
  from: number,
): Promise<number> {
  const version = { folder, from: new Date(from), by: operatorOf(process.env).actor };
  return store.add(last, version).catch(explainChanged);
}

export async function withdrawVersion({ store, last }: StoredTariffs, version: number): Promise<void> {
  await store.withdraw(last, version, operatorOf(process.env).actor).catch(explainChanged);
}

export function noVersion(version: number): Error {
  return new Error(`No hay una version ${version}. Vea list`);
}

function explainChanged(cause: unknown): never {
  if (!(cause instanceof DomainError && cause.code === 'tariffs-changed')) throw cause;
  throw new Error('Alguien cambio las tarifas mientras tanto: no se hizo nada, repita el comando', { cause });
}
