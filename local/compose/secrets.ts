import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PREVIOUS_ADMIN_PASSWORD } from '../access/mongo-names.ts';
import {
  loadSecrets,
  redisOperatorPassword,
  retirePreviousPasswords,
  rotatePasswords,
  type Secrets,
  storeCredentials,
} from '../secrets.ts';

/**
 * Generates the secrets of `docker compose up` at its first start, in a volume of their own: no person chooses a
 * password, and no file of the checkout holds one. Each service gets a folder with its secrets, which only its
 * container has; any user can read the files. No container has `secrets.json`, with all secrets. Later starts write
 * the folders again, with the current rules for Redis' users.
 * `rotate` and `retire` are steps of rotate-passwords.sh.
 */

const USAGE = 'Usage: node local/compose/secrets.ts <folder> [rotate|retire]';
const CHANGES: Readonly<Record<string, (secrets: Secrets) => Secrets>> = {
  keep: (secrets) => secrets,
  rotate: rotatePasswords,
  retire: retirePreviousPasswords,
};

const [folder, step = 'keep'] = process.argv.slice(2);
const change = CHANGES[step];
if (!folder || !change) throw new Error(USAGE);
const first = !existsSync(join(folder, 'secrets.json'));
const secrets = loadSecrets(join(folder, 'secrets.json'), change);
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
  'mongo-users': {
    password: secrets.mongoRoot,
    [PREVIOUS_ADMIN_PASSWORD]: secrets.previous?.mongoRoot ?? '', // empty: none
    ...mongoUris,
  },
  redis: { 'users.acl': usersAcl },
  'label-cache': { 'users.acl': usersAcl },
  'redis-cli': { password: redisOperatorPassword(secrets) },
  grafana: { password: secrets.grafana },
};
for (const [service, files] of Object.entries(FOLDERS)) writeFolder(join(folder, service), files);
process.stdout.write(first ? 'Generated the secrets.\n' : `The secrets exist already: ${step}.\n`);

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
