import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { mongo } from 'mongoose';
import type { TestServers } from '#test/fixtures/test-servers.ts';

export type Machine = Awaited<ReturnType<typeof describeMachine>>;

/** What figures depend on, and nothing that names the machine. */
export async function describeMachine({ chromiumPath, mongoUri }: TestServers) {
  const client = await mongo.MongoClient.connect(mongoUri);
  const build = await client.db('admin').command({ buildInfo: 1 });
  await client.close();
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? '',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    chromium: spawnSync(chromiumPath, ['--version'], { encoding: 'utf8' }).stdout.trim(),
    database: build.ferretdb
      ? `DocumentDB with FerretDB ${build.ferretdb.version}`
      : `MongoDB ${build.version}`,
  };
}
