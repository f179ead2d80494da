import { text } from 'node:stream/consumers';
import { parseObject } from '../read-json.ts';
import { runProgram } from '../run-program.ts';
import { generateSecrets, storeCredentials } from '../secrets.ts';
import { SetupError } from '../setup-error.ts';
import { retirePrevious, rotate, type Secret } from './kubernetes-rotation.ts';

/** Nothing is written to disk, and no secret is an argument of a program. */
const HELP = `Usage: npm run --silent secrets:kubernetes | kubectl -n guias create -f -
       kubectl -n guias get secrets -o json | npm run --silent secrets:kubernetes -- --rotate | kubectl -n guias replace -f -

Prints the Secrets of k8s/small with new random values. \`kubectl create\` leaves those that exist as they are.

  --rotate  print the Secrets of standard input that change: new passwords of the stores, which still take the former ones
  --retire  print those that change: without the former passwords
  --help    show this text

Repeat a step until it prints none. k8s/rotate-passwords.sh takes both.
`;

const NO_SECRETS =
  'Standard input has no list of Secrets in JSON. Pipe the output of this command into it: kubectl -n guias get secrets -o json';

await runProgram(HELP, { rotate: { type: 'boolean' }, retire: { type: 'boolean' } }, async (step) => {
  if (!step.rotate && !step.retire) return print(secretsOfSmall());
  const { items } = parseObject<{ items?: Secret[] }>(await text(process.stdin), NO_SECRETS);
  if (!Array.isArray(items)) throw new SetupError(NO_SECRETS);
  print(step.rotate ? rotate(items) : retirePrevious(items));
});

/** Prints a List of Kubernetes, in JSON. */
function print(items: object[]): void {
  process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`);
}

function secretsOfSmall(): object[] {
  const secrets = generateSecrets();
  const { redisUrls, labelCacheUrls, mongoUris, usersAcl } = storeCredentials(secrets);

  const SECRETS: Readonly<Record<string, Record<string, string>>> = {
    'guias-jwt': { JWT_SECRET: secrets.jwt },
    'guias-internal': { INTERNAL_TOKEN: secrets.internal },
    'guias-webhook-secrets': { WEBHOOK_SECRETS_KEY: secrets.webhooks },
    'guias-api': {
      MONGODB_URI: mongoUris.api,
      REDIS_URL: redisUrls.api,
      LABEL_CACHE_URL: labelCacheUrls.api,
    },
    'guias-branches': { MONGODB_URI: mongoUris.branches, REDIS_URL: redisUrls.branches },
    'guias-webhooks': { MONGODB_URI: mongoUris.webhooks, REDIS_URL: redisUrls.webhooks },
    'guias-dashboard': {
      MONGODB_URI: mongoUris.dashboard,
      REDIS_URL: redisUrls.dashboard,
      LABEL_CACHE_URL: labelCacheUrls.dashboard,
    },
    'guias-label-worker': {
      REDIS_URL: redisUrls['label-worker'],
      LABEL_CACHE_URL: labelCacheUrls['label-worker'],
    },
    'guias-canary': { CANARY_KEY: secrets.canary.key, CANARY_PASSWORD: secrets.canary.password },
    'guias-admin': { MONGODB_URI: mongoUris.admin },
    'guias-loads': { MONGODB_URI: mongoUris.loads },
    'guias-backup': { MONGODB_URI: mongoUris.backup },
    'guias-operator': { REDIS_PASSWORD: secrets.redis.operator },
    'guias-mongodb': { MONGO_PASSWORD: secrets.mongoRoot },
    'guias-redis-users': { 'users.acl': usersAcl },
  };

  return Object.entries(SECRETS).map(([name, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData,
  }));
}
