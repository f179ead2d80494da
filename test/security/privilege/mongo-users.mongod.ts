import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mongoose, { mongo } from 'mongoose';
import { describe, expect } from 'vitest';
import { answersPing, downloadedMongod } from '#local/mongo/mongod.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { findProgram } from '#local/programs/ensure-programs.ts';
import { AUDIT } from '#shared/audit/audit-store.ts';
import { createIndexes, MONGO_USERS, type MongoUser } from '#shared/stores/collection.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';

const PROGRAM = 'local/access/mongo-users.ts';
const mongod = findProgram('mongod') ?? (await downloadedMongod());

/**
 * MongoDB's own server with authentication, and what each user may do there. No substitute has roles by
 * collection, so `test/vitest.config.ts` runs this where there is a `mongod`.
 */
const test = folderTest
  .extend('server', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const [port, password] = [await freePort(), randomBytes(16).toString('hex')];
    const data = join(folder, 'mongodb');
    mkdirSync(data);
    const server = startProcess({
      name: 'MongoDB',
      command: [mongod as string, '--dbpath', data, '--bind_ip', '127.0.0.1', '--port', `${port}`, '--auth'],
      logFile: join(folder, 'mongodb.log'),
    });
    onCleanup(() => server.stop());
    const address = `127.0.0.1:${port}`;
    await waitUntilReady(server, () => answersPing(`mongodb://${address}/`), 30_000);
    // Until there is a user, a connection from the same machine may create the first one.
    const first = await mongo.MongoClient.connect(`mongodb://${address}/`);
    await first.db('admin').command({ createUser: 'guias', pwd: password, roles: ['root'] });
    await first.close();
    return { address, password };
  })
  .extend('uriOf', { scope: 'file' }, ({ server, folder }) => {
    mkdirSync(join(folder, 'users'));
    const uris = new Map(
      MONGO_USERS.map((user) => [
        user,
        `mongodb://${user}:${randomBytes(16).toString('hex')}@${server.address}/guias`,
      ]),
    );
    for (const [user, uri] of uris) writeFileSync(join(folder, 'users', user), uri);
    return (user: MongoUser) => uris.get(user) as string;
  })
  .extend('apply', { scope: 'file' }, ({ server, folder }) => async () => {
    const env = {
      PATH: process.env.PATH,
      MONGODB_ADMIN_URI: `mongodb://guias@${server.address}/guias?authSource=admin`,
      MONGODB_ADMIN_PASSWORD: server.password,
      MONGODB_USERS: join(folder, 'users'),
    };
    return (await promisify(execFile)('node', [PROGRAM], { env, timeout: 20_000 })).stdout;
  })
  /** Runs a command as a user, and returns the name of the refusal, or `ok`. */
  .extend('as', { scope: 'file' }, ({ uriOf }) => async (user: MongoUser, command: object) => {
    const client = await mongo.MongoClient.connect(uriOf(user));
    try {
      return await client
        .db()
        .command(command)
        .then(
          () => 'ok',
          ({ codeName }) => codeName,
        );
    } finally {
      await client.close();
    }
  });

describe("MongoDB's own server", () => {
  test('gets its users and roles, twice over', async ({ apply, uriOf, as }) => {
    expect(uriOf('api')).toContain('api:');
    expect(await apply()).toContain('The user api has the role guias-api.');
    expect(await apply()).toContain('The user demo has the role guias-demo.');
    expect(await as('api', { find: 'guides' })).toBe('ok');
  });

  test('lets the api start, which may not make the indexes of the trail', async ({ apply, uriOf }) => {
    await apply();
    const connection = await mongoose.createConnection(uriOf('api')).asPromise();
    await expect(createIndexes(connection, AUDIT)).resolves.toBeUndefined();
    await connection.close();
  });

  test.for<[MongoUser, object, string]>([
    ['api', { insert: 'guides', documents: [{ _id: 'one' }] }, 'ok'],
    ['api', { find: 'audit' }, 'Unauthorized'],
    ['api', { delete: 'guides', deletes: [{ q: { _id: 'one' }, limit: 0 }] }, 'Unauthorized'],
    ['dashboard', { update: 'users', updates: [{ q: {}, u: { $set: { a: 1 } } }] }, 'Unauthorized'],
    ['admin', { update: 'users', updates: [{ q: { _id: 'x' }, u: { $set: { a: 1 } }, upsert: true }] }, 'ok'],
    ['admin', { update: 'audit', updates: [{ q: {}, u: { $set: { a: 1 } } }] }, 'Unauthorized'],
    ['backup', { find: 'guides' }, 'ok'],
  ])('answers %s, who sends %j: %s', async ([user, command, answer], { apply, as }) => {
    await apply();
    expect(await as(user, command)).toBe(answer);
  });
});
