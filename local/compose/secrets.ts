import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PREVIOUS_ADMIN_PASSWORD } from '../access/mongo-names.ts';
import { readJson } from '../read-json.ts';
import {
  generateSecrets,
  loadSecrets,
  redisOperatorPassword,
  retirePreviousKey,
  retirePreviousPasswords,
  rotateKey,
  rotatePasswords,
  type Secrets,
  storeCredentials,
} from '../secrets.ts';

/**
 * Generates the secrets of `docker compose up` at its first start, in a volume of their own: no person chooses a
 * password, and no file of the checkout holds one. Each service gets a folder with its secrets, which only its
 * container has; any user can read the files. Only `restore`, while it runs, also sees `secrets.json`, with all secrets. Later
 * starts write the folders again, with the current rules for Redis' users.
 */

const USAGE = `node local/compose/secrets.ts <folder>                         generates what is missing
… <folder> rotate passwords|jwt|internal|webhooks    makes new ones, and accepts the former ones too
… <folder> retire passwords|jwt|internal|webhooks    no longer accepts the former ones
… <folder> rotate canary                             makes a new key and password for the canary
… <folder> proxy-login < user:password               for WEBHOOKS_PROXY_URL
… <folder> evidence-bucket < address                 for EVIDENCE_BUCKET
… <folder> mail-server < address                     for SMTP_URL`;
/** MongoDB knows the passwords of its users by this file alone. */
const DAMAGED = 'is damaged: restore the volume of the secrets from a copy';
type Change = (secrets: Secrets) => Secrets;
const CHANGES: Readonly<Record<string, Change>> = {
  '': (secrets) => secrets,
  'rotate passwords': rotatePasswords, // with what rotate-passwords.sh does between the two
  'retire passwords': retirePreviousPasswords,
  'rotate jwt': (secrets) => rotateKey(secrets, 'jwt'),
  'retire jwt': (secrets) => retirePreviousKey(secrets, 'jwt'),
  'rotate internal': (secrets) => rotateKey(secrets, 'internal'),
  'retire internal': (secrets) => retirePreviousKey(secrets, 'internal'),
  'rotate webhooks': (secrets) => rotateKey(secrets, 'webhooks'),
  'retire webhooks': (secrets) => retirePreviousKey(secrets, 'webhooks'),
  'rotate canary': (secrets) => ({ ...secrets, canary: generateSecrets().canary }), // then run canary-account
  'proxy-login': (secrets) => ({ ...secrets, webhooksProxyLogin: readFileSync(0, 'utf8').trim() }),
  'mail-server': (secrets) => ({ ...secrets, smtpUrl: readFileSync(0, 'utf8').trim() }),
  'evidence-bucket': (secrets) => ({ ...secrets, evidenceBucket: readFileSync(0, 'utf8').trim() }),
};

const [folder, ...words] = process.argv.slice(2);
const change = CHANGES[words.join(' ')];
if (!folder || !change) throw new Error(USAGE);
const restoredKeys = join(folder, 'restored-keys.json');
const first = !existsSync(join(folder, 'secrets.json'));
const secrets = loadSecrets(join(folder, 'secrets.json'), DAMAGED, (stored) =>
  change(withRestoredKeys(stored)),
);
rmSync(restoredKeys, { force: true });
const { redisUrls, labelCacheUrls, mongoUris, usersAcl } = storeCredentials(secrets);
const { jwt, internal } = secrets;
const accepted = { internal, 'internal-previous': secrets.internalPrevious };
const webhookKeys = {
  'webhook-secrets': secrets.webhooks,
  'webhook-secrets-previous': secrets.webhooksPrevious, // empty: not set
};

const FOLDERS: Readonly<Record<string, Record<string, string>>> = {
  api: {
    jwt,
    'jwt-previous': secrets.jwtPrevious,
    internal,
    ...webhookKeys,
    'evidence-bucket': secrets.evidenceBucket,
    'mail-server': secrets.smtpUrl,
    notices: secrets.notices,
    mongodb: mongoUris.api,
    redis: redisUrls.api,
    'label-cache': labelCacheUrls.api,
  },
  branches: { ...accepted, mongodb: mongoUris.branches, redis: redisUrls.branches },
  'label-worker': { redis: redisUrls['label-worker'], 'label-cache': labelCacheUrls['label-worker'] },
  webhooks: {
    ...accepted,
    ...webhookKeys,
    'proxy-login': secrets.webhooksProxyLogin,
    mongodb: mongoUris.webhooks,
    redis: redisUrls.webhooks,
  },
  dashboard: {
    mongodb: mongoUris.dashboard,
    redis: redisUrls.dashboard,
    'label-cache': labelCacheUrls.dashboard,
    'cookie-secure': 'false', // where docker-compose.yml leaves it open: plain HTTP, on loopback
  },
  canary: secrets.canary,
  // Without these keys, the secrets of webhooks in a dump are lost, and who wants no notices is not known.
  backup: {
    mongodb: mongoUris.backup,
    'keys.json': JSON.stringify({
      ...{ webhooks: secrets.webhooks, webhooksPrevious: secrets.webhooksPrevious },
      notices: secrets.notices,
    }),
  },
  restore: { password: secrets.mongoRoot },
  admin: { mongodb: mongoUris.admin },
  'canary-account': { mongodb: mongoUris.admin, ...secrets.canary },
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
const done = words.length === 0 ? 'are there' : 'are changed';
process.stdout.write(first ? 'Generated the secrets.\n' : `The secrets ${done}.\n`);

/** Takes the keys of a dump that was restored (k8s/components/backup/restore.sh): the data in MongoDB needs them. */
function withRestoredKeys(stored: Secrets): Secrets {
  const restored = readJson<Secrets>(restoredKeys, 'is damaged: restore the dump again');
  if (!restored) return stored;
  // No other secret: a dump is not signed.
  const { webhooks, webhooksPrevious, notices = stored.notices } = restored; // before 1.11.0 without the last one
  return {
    ...stored,
    ...{ webhooks: String(webhooks), webhooksPrevious: String(webhooksPrevious), notices: String(notices) },
  };
}

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
