import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { test } from '#test/fixtures/services.ts';
import { describeCommand, mayRun, recordCommands } from '../../security/privilege/mongo-commands.ts';

/** The scripts of k8s/components/backup, with MongoDB's own programs: `test/vitest.config.ts` runs this where they are. */
async function run(script: string, env: NodeJS.ProcessEnv): Promise<string> {
  const path = join(repoRoot, 'k8s/components/backup', script);
  const options = { env: { PATH: process.env.PATH, ...env }, timeout: 60_000 };
  return (await promisify(execFile)('bash', [path], options)).stdout;
}

test('what was dumped is served again after a loss', async ({ stores, demo, folder }) => {
  const body = { TipoServicio: 'Domicilio', Guia: [minimalGuide(), minimalGuide()] };
  const create = () => demo.post('/api/guias/crear', body, { 'idempotency-key': 'before-the-loss' });
  const before = await create();
  expect(before.status).toBe(200);

  const recorder = await recordCommands(stores.mongoUri);
  const [BACKUPS, MONGODB_URI_FILE] = [join(folder, 'backups'), join(folder, 'MONGODB_URI')];
  const [CERTIFICATE, PRIVATE_KEY] = [join(folder, 'backups.pem'), join(folder, 'key.pem')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-noenc', '-subj', '/CN=backups'];
  execFileSync('openssl', [...request, '-keyout', PRIVATE_KEY, '-out', CERTIFICATE], { stdio: 'pipe' });
  mkdirSync(BACKUPS);
  writeFileSync(MONGODB_URI_FILE, recorder.uri);
  expect(await run('backup.sh', { BACKUPS, MONGODB_URI_FILE, CERTIFICATE, KEEP_DAYS: '14' })).toMatch(
    /Dumped the database .* encrypted/,
  );
  await recorder.close();
  const [dump = '', ...others] = readdirSync(BACKUPS);
  expect([dump, others]).toEqual([expect.stringMatching(/^\d{8}T\d{6}Z$/), []]);
  const pieces = readdirSync(join(BACKUPS, dump));
  expect(pieces).toEqual(['SHA256SUMS', 'creations.gz.00000.cms', 'guias.gz.00000.cms']);
  const read = recorder.commands.flatMap(({ find }) => (typeof find === 'string' ? [find] : []));
  const inOrder = ['creations', 'guides'];
  expect(read.filter((collection) => inOrder.includes(collection))).toEqual(inOrder);
  const refused = recorder.commands.filter((command) => !mayRun('backup', command)).map(describeCommand);
  // It asks whether the server is Atlas; any other one does not know the command.
  expect(refused.filter((text) => text !== 'atlasVersion 1')).toEqual([]);

  await stores.mongo.dropDatabase();
  const MONGODB_SERVER = new URL('/', stores.mongoUri).href;
  await expect(run('restore.sh', { BACKUPS, MONGODB_SERVER })).rejects.toThrow('needs the private key');
  const restore = () => run('restore.sh', { BACKUPS, MONGODB_SERVER, PRIVATE_KEY });
  const restored = await restore().catch((error: Error) => {
    // DocumentDB, unlike MongoDB, sometimes refuses a collection that is made while others are. A restore may be repeated.
    expect(error.message).toContain('Unable to create the specified collection');
    return restore();
  });
  expect(restored).toContain('Restored');
  const repeated = await create();
  expect([repeated.status, repeated.body.data]).toEqual([200, before.body.data]);
  expect(await stores.mongo.collection('guides').countDocuments()).toBe(2);
});
