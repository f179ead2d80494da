import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { retirePrevious, rotate, type Secret } from '#local/access/kubernetes-rotation.ts';
import { repoRoot } from '#local/folders.ts';

/** The Secrets of k8s/small while k8s/rotate-passwords.sh runs. rotation.compose.ts rotates those of running stores. */

const program = join(repoRoot, 'local/access/kubernetes-secrets.ts');

/** Runs the program, whose Secrets of standard input are these. */
function print(secrets: Secret[], ...options: string[]): Secret[] {
  const input = JSON.stringify({ items: secrets });
  return JSON.parse(execFileSync(process.execPath, [program, ...options], { input, encoding: 'utf8' })).items;
}

/** Returns new Secrets as the cluster stores them. */
function created(): Secret[] {
  const made = print([]) as unknown as { metadata: { name: string }; stringData: Record<string, string> }[];
  const encoded = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, btoa(value)]));
  return made.map(({ metadata, stringData }) => ({ metadata, data: encoded(stringData) }));
}

/**
 * Returns the Secrets as the cluster has them after the step was repeated until it changed none.
 * @param limit of the Secrets that are replaced before a cut.
 */
function after(step: typeof rotate, secrets: Secret[], limit = Number.POSITIVE_INFINITY): Secret[] {
  const changed = step(structuredClone(secrets)).slice(0, limit);
  if (changed.length === 0) return secrets;
  const replaced = new Map(changed.map((secret) => [secret.metadata.name, secret]));
  const now = secrets.map((each) => replaced.get(each.metadata.name) ?? each);
  return after(step, now, limit - changed.length);
}

const read = (secrets: Secret[], name: string, key: string) =>
  atob(secrets.find(({ metadata }) => metadata.name === name)?.data?.[key] ?? '');
const admin = (secrets: Secret[]) => read(secrets, 'guias-mongodb', 'MONGO_PASSWORD');
const hash = (password: string) => `#${createHash('sha256').update(password).digest('hex')}`;
const redisPassword = (secrets: Secret[]) => new URL(read(secrets, 'guias-api', 'REDIS_URL')).password;
/** The hashes of a user's passwords in the file of users of both Redis. */
const hashes = (secrets: Secret[], user: string) =>
  new RegExp(`^user ${user} on ([#0-9a-f ]*?) [^#0-9a-f]`, 'm')
    .exec(read(secrets, 'guias-redis-users', 'users.acl'))?.[1]
    ?.split(' ');

/** `guias-rotation` is made by the script. */
const before = [...created(), { metadata: { name: 'guias-rotation' } }];
const rotated = after(rotate, before);
const retired = after(retirePrevious, rotated);

test('a rotation gives new passwords, and Redis takes both meanwhile', () => {
  expect(redisPassword(rotated)).not.toBe(redisPassword(before));
  expect(hashes(rotated, 'api')).toEqual([hash(redisPassword(rotated)), hash(redisPassword(before))]);
  expect(hashes(retired, 'api')).toEqual([hash(redisPassword(rotated))]);
  expect(read(retired, 'guias-api', 'LABEL_CACHE_URL')).toContain(
    `:${redisPassword(rotated)}@label-cache:6379`,
  );
});

test('the operator loads the users with a password that both Redis know', () => {
  const operator = (secrets: Secret[]) => read(secrets, 'guias-operator', 'REDIS_PASSWORD');
  expect(operator(rotated)).toBe(operator(before));
  expect(hashes(rotated, 'operator')).toContain(hash(operator(retired)));
  expect(hashes(retired, 'operator')).toEqual([hash(operator(retired))]);
});

test('the operator reads none of the new passwords but the own one, before and after', () => {
  const keys = (secrets: Secret[], name: string) =>
    Object.keys(secrets.find(({ metadata }) => metadata.name === name)?.data ?? {});
  expect(keys(rotated, 'guias-operator')).toEqual(['REDIS_PASSWORD', 'REDIS_PASSWORD_NEXT']);
  expect(keys(rotated, 'guias-rotation')).toEqual(['PLAN']);
  expect(keys(retired, 'guias-operator')).toEqual(['REDIS_PASSWORD']);
  expect(keys(retired, 'guias-rotation')).toEqual([]);
});

test('MongoDB gets second users, and the administrator a password beside the former one', () => {
  const user = (secrets: Secret[]) => new URL(read(secrets, 'guias-backup', 'MONGODB_URI')).username;
  const again = after(rotate, retired);
  expect([before, rotated, retired, again].map(user)).toEqual(['backup', 'backup-2', 'backup-2', 'backup']);
  expect(read(rotated, 'guias-mongodb', 'MONGO_PASSWORD_PREVIOUS')).toBe(admin(before));
  expect(admin(rotated)).not.toBe(admin(before));
  expect(read(retired, 'guias-mongodb', 'MONGO_PASSWORD_PREVIOUS')).toBe('');
});

test.for(['', '{"items":', '{}', 'No resources found'])(
  'input that is no list of Secrets is named: %j',
  (input) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--rotate'], {
      ...{ input, encoding: 'utf8' },
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'Standard input has no list of Secrets in JSON. Pipe the output of this command into it: kubectl -n guias get secrets -o json\n',
    });
  },
);

test('a damaged plan is named, with what to do', () => {
  const plan = { metadata: { name: 'guias-rotation' }, data: { PLAN: btoa('[["guias-ope') } };
  expect(() => rotate([...before.slice(0, -1), plan])).toThrow(
    'PLAN of the Secret guias-rotation is not JSON. If guias-operator has no REDIS_PASSWORD_NEXT, nothing has changed yet: delete guias-rotation and begin again. Otherwise restore it from a backup.',
  );
});

test('each step may be repeated, and leaves all other secrets as they are', () => {
  expect(print(rotated, '--rotate')).toEqual([]);
  expect(print(retired, '--retire')).toEqual([]);
  for (const name of ['guias-canary', 'guias-jwt', 'guias-internal', 'guias-webhook-secrets'])
    expect(retired.find(({ metadata }) => metadata.name === name)).toEqual(
      before.find(({ metadata }) => metadata.name === name),
    );
});

test.for(before.map((_, count) => count))(
  'cut after %i Secrets, a rotation goes on when it is repeated',
  (count) => {
    const whole = after(rotate, after(rotate, before, count));
    expect(read(whole, 'guias-mongodb', 'MONGO_PASSWORD_PREVIOUS')).toBe(admin(before));
    expect(hashes(whole, 'api')).toEqual([hash(redisPassword(whole)), hash(redisPassword(before))]);
    expect(read(whole, 'guias-api', 'MONGODB_URI')).toContain('//api-2:');
  },
);

test.for([1, 2, 3])('cut after %i Secrets, the end of a rotation goes on when it is repeated', (count) => {
  const again = after(retirePrevious, after(rotate, after(retirePrevious, rotated, count)));
  expect([redisPassword(again), admin(again)]).toEqual([redisPassword(rotated), admin(rotated)]);
  expect(hashes(again, 'api')).toEqual(hashes(retired, 'api'));
  expect(Object.keys(again.find(({ metadata }) => metadata.name === 'guias-operator')?.data ?? {})).toEqual([
    'REDIS_PASSWORD',
  ]);
});
