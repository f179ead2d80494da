import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Generates the secrets of `docker compose up` at its first start, in a volume of their own: nobody chooses a password,
 * and no file of the checkout holds one. Each service gets a folder with the secrets that it needs. Any user can read the
 * files, because only the service's own container has the folder.
 *
 * Usage: node local/compose/secrets.ts <folder>
 */

const secret = () => randomBytes(32).toString('hex');

const jwt = secret();
const internal = secret();
const mongo = secret();
const redis = secret();
// MongoDB acknowledges what is in its journal: otherwise a crash loses the writes of the last 100 ms.
const mongodbUri = `mongodb://guias:${mongo}@mongo:27017/guias?authSource=admin&journal=true`;
const redisUrl = `redis://:${redis}@redis:6379`;

const SECRETS: Readonly<Record<string, Record<string, string>>> = {
  api: { jwt, internal, mongodb: mongodbUri, redis: redisUrl },
  branches: { internal, mongodb: mongodbUri, redis: redisUrl },
  'label-worker': { redis: redisUrl },
  dashboard: { mongodb: mongodbUri, redis: redisUrl },
  demo: { mongodb: mongodbUri },
  mongo: { password: mongo },
  redis: { 'redis.conf': `requirepass ${redis}\n` },
  grafana: { password: secret() },
};

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('Usage: node local/compose/secrets.ts <folder>');
const complete = join(folder, 'complete');
if (existsSync(complete)) {
  process.stdout.write('The secrets exist already.\n');
} else {
  for (const [service, files] of Object.entries(SECRETS)) writeFolder(join(folder, service), files);
  writeFileSync(complete, ''); // last: no service has started with the secrets of an interrupted run
  process.stdout.write('Generated the secrets.\n');
}

function writeFolder(path: string, files: Record<string, string>): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { mode: 0o755 });
  for (const [name, value] of Object.entries(files)) writeFileSync(join(path, name), value, { mode: 0o444 });
}
