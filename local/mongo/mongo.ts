import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { canAptInstall, findProgram } from '../programs/ensure-programs.ts';
import { SetupError } from '../setup-error.ts';
import { removeDocumentDbData, startDocumentDb } from './documentdb.ts';
import { documentDbIsReady } from './documentdb-root.ts';
import { prepareDocumentDb } from './documentdb-setup.ts';
import {
  answersPing,
  downloadedMongod,
  downloadMongod,
  type MongoOptions,
  type MongoServer,
  startMongod,
} from './mongod.ts';

/**
 * Provides the first of these: `MONGODB_URI`; `mongod` on PATH; a downloaded `mongod`; on Debian as root DocumentDB
 * with FerretDB. What is ready goes before what must be fetched, so the next start finds the data again.
 * @throws SetupError if none is available.
 */
export async function provideMongo(options: MongoOptions): Promise<MongoServer> {
  const given = process.env.MONGODB_URI;
  if (given) return givenMongo(given);
  const found = findProgram('mongod') ?? (await downloadedMongod());
  if (found) return startMongod(found, options);
  if (documentDbIsReady()) return startDocumentDb(options);
  const downloaded = await downloadMongod(options.log);
  if (downloaded) return startMongod(downloaded, options);
  if (!canAptInstall()) {
    throw new SetupError(
      'No MongoDB: install mongod, or set MONGODB_URI to one that runs, such as mongodb://127.0.0.1:27017/guias (its substitute can be set up on Debian as root only).',
    );
  }
  await prepareDocumentDb(options.log);
  return startDocumentDb(options);
}

export function removeMongoData(folder: string): void {
  rmSync(join(folder, 'mongodb'), { recursive: true, force: true });
  removeDocumentDbData(folder);
}

async function givenMongo(uri: string): Promise<MongoServer> {
  await answersPing(uri).catch((cause: Error) => {
    throw new SetupError(`The MongoDB of MONGODB_URI does not answer (${cause.message}).`, { cause });
  });
  return { uri, description: 'MongoDB', processes: [], close: async () => {} };
}
