import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSecrets, storeCredentials } from '../secrets.ts';

/**
 * Generates the secrets of `docker compose up` at its first start, in a volume of their own: no person chooses a
 * password, and no file of the checkout holds one. Each service gets a folder with its secrets, which only its
 * container has; any user can read the files. No container has `secrets.json`, with all secrets. Later starts write
 * the folders again, with the current rules for Redis' users.
 * Usage: node local/compose/secrets.ts <folder>
 */

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('Usage: node local/compose/secrets.ts <folder>');
const first = !existsSync(join(folder, 'secrets.json'));
const secrets = loadSecrets(join(folder, 'secrets.json'));
const { redisUrls, labelCacheUrls, mongoUris, usersAcl } = storeCredentials(secrets);
const { jwt, internal } = secrets;
const webhookKeys = {
  'webhook-secrets': secrets.webhooks,
  'webhook-secrets-previous': secrets.webhooksPrevious, // empty: not set
};

const FOLDERS: Readonly<Record<string, Record<string, string>>> = {
  api: {
    jwt,
    internal,
    ...webhookKeys,
    mongodb: mongoUris.api,
    redis: redisUrls.api,
    'label-cache': labelCacheUrls.api,
  },
  branches: { internal, mongodb: mongoUris.branches, redis: redisUrls.branches },
  'label-worker': { redis: redisUrls['label-worker'], 'label-cache': labelCacheUrls['label-worker'] },
  webhooks: { internal, ...webhookKeys, mongodb: mongoUris.webhooks, redis: redisUrls.webhooks },
  dashboard: { mongodb: mongoUris.dashboard, redis: redisUrls.dashboard },
  admin: { mongodb: mongoUris.admin },
  loads: { mongodb: mongoUris.loads },
  demo: { mongodb: mongoUris.demo },
  mongo: { password: secrets.mongoRoot },
  'mongo-users': { password: secrets.mongoRoot, ...mongoUris },
  redis: { 'users.acl': usersAcl },
  'label-cache': { 'users.acl': usersAcl },
  'redis-cli': { password: secrets.redis.operator },
  grafana: { password: secrets.grafana },
};
for (const [service, files] of Object.entries(FOLDERS)) writeFolder(join(folder, service), files);
process.stdout.write(first ? 'Generated the secrets.\n' : 'The secrets exist already.\n');

/** Replaces whole files: a service never reads half of one. */
function writeFolder(path: string, files: Record<string, string>): void {
  mkdirSync(path, { recursive: true, mode: 0o755 });
  for (const [name, value] of Object.entries(files)) {
    const partial = join(path, `.${name}`);
    rmSync(partial, { force: true });
    writeFileSync(partial, value, { mode: 0o444 });
    renameSync(partial, join(path, name));
  }
}
