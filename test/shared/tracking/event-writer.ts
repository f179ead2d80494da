import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { EventLog, type NewEntry } from '#shared/tracking/event-log.ts';

/**
 * A process with several writers of one account, each of which appends one to three events at a time to guides that all
 * writers share, stores what the guides have become, and ends the append. It prints the id of each event that was acknowledged,
 * on a line.
 *
 *   node event-writer.ts <MongoDB's address> <writers> <appends of each>
 */

const GUIDES = ['100000000001', '100000000002', '100000000003'];

export function entry(guide: string, id: string, version: number): NewEntry {
  const told = { Guia: guide, Id: id, Tipo: 'EnTransito', Ocurrido: '2026-11-21T16:30:00.000Z' } as const;
  return { told, status: 'EnTransito', version, username: 'escaner' };
}

/** How many events each guide has. */
export function statesIn(connection: mongoose.Connection) {
  return connection.collection<{ _id: string; version: number }>('states');
}

if (import.meta.main) {
  const [, , uri = '', writers = '1', appends = '1'] = process.argv;
  const connection = await mongoose.createConnection(uri).asPromise();
  const log = new EventLog(connection);
  const states = statesIn(connection);
  const write = async () => {
    for (let i = 0; i < Number(appends); i++) {
      const ids = Array.from({ length: 1 + (i % 3) }, () => randomUUID());
      const guide = GUIDES[i % GUIDES.length] as string;
      const append = { id: randomUUID(), open: [] };
      const decide = async () => {
        const before = (await log.ofGuides([guide])).length;
        return {
          entries: ids.map((id, j) => entry(guide, id, before + j + 1)),
          result: before + ids.length,
        };
      };
      const version = await log.append('demo', append, decide, AbortSignal.timeout(60_000));
      await states.updateOne(
        { _id: guide },
        { $max: { version } },
        { upsert: true, writeConcern: { w: 'majority' } },
      );
      await log.done(append);
      process.stdout.write(ids.map((id) => `${id}\n`).join(''));
    }
  };
  await Promise.all(Array.from({ length: Number(writers) }, write));
  await connection.close();
}
