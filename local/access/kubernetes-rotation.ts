import { MONGO_USERS, type MongoUser } from '#shared/stores/collection.ts';
import { REDIS_SERVICES } from '#shared/stores/redis-families.ts';
import { parseObject } from '../read-json.ts';
import { byName, randomSecret } from '../secrets.ts';
import { generationOf, mongoUserName, nextGeneration } from './mongo-names.ts';
import { type RedisPasswords, redisAclFile } from './redis-acl.ts';

/**
 * New passwords in the Secrets of k8s/small, as `rotatePasswords` of local/secrets.ts makes them for Compose. The Secrets
 * themselves say how far a rotation is. `kubectl replace` writes one Secret after the other, so a step is repeated until it
 * returns none, also after a cut.
 */

export type Secret = { metadata: { name: string }; data?: Record<string, string> };
type Value = [secret: string, key: string, value: string];

const OPERATOR = ['guias-operator', 'REDIS_PASSWORD'] as const;
/** While it is there, both Redis know `REDIS_PASSWORD`, the former one. */
const NEXT_OPERATOR = ['guias-operator', 'REDIS_PASSWORD_NEXT'] as const;
/** The values of a rotation in JSON, stored before any of them. No pod has this Secret, and no person needs it. */
const PLAN = ['guias-rotation', 'PLAN'] as const;
/** `kubectl replace` writes the operator's Secret first, as the plan begins with it. */
const DAMAGED_PLAN = [
  'PLAN of the Secret guias-rotation is not JSON. If guias-operator has no REDIS_PASSWORD_NEXT, nothing has changed yet:',
  'delete guias-rotation and begin again. Otherwise restore it from a backup.',
].join(' ');
const ADMIN = ['guias-mongodb', 'MONGO_PASSWORD'] as const;
const PREVIOUS_ADMIN = ['guias-mongodb', 'MONGO_PASSWORD_PREVIOUS'] as const;
const USERS_ACL = ['guias-redis-users', 'users.acl'] as const;
const secretOf = (user: string) => `guias-${user}`;
/** `demo` is Compose's. */
const MONGO_SECRETS = MONGO_USERS.filter((user) => user !== 'demo');

/**
 * Returns the Secrets that change: at first the one with the plan of a rotation, then those whose new passwords the plan has,
 * beside which the stores take the former ones. None changes once all are as planned.
 *
 * @param items as `kubectl get` prints them.
 * @throws if a Secret is missing, the plan is damaged, or a Secret names a user of MongoDB that an operator chose.
 */
export function rotate(items: Secret[]): Secret[] {
  const secrets = new StoredSecrets(items);
  const plan = secrets.find(...PLAN);
  if (plan) {
    for (const value of parseObject<Value[]>(plan, DAMAGED_PLAN)) secrets.write(...value);
  } else if (!secrets.find(...NEXT_OPERATOR)) {
    secrets.write(...PLAN, JSON.stringify(planRotation(secrets)));
  }
  return secrets.changed();
}

function planRotation(secrets: StoredSecrets): Value[] {
  const operator = randomSecret();
  const values: Value[] = [[...NEXT_OPERATOR, operator]];
  const previous = redisPasswordsOf(secrets, secrets.read(...OPERATOR));
  const passwords = { ...byName(REDIS_SERVICES, randomSecret), operator };
  for (const service of REDIS_SERVICES) {
    for (const key of ['REDIS_URL', 'LABEL_CACHE_URL']) {
      const url = secrets.find(secretOf(service), key);
      if (url) values.push([secretOf(service), key, withLogin(url, service, passwords[service])]);
    }
  }
  for (const user of MONGO_SECRETS) {
    const uri = secrets.read(secretOf(user), 'MONGODB_URI');
    values.push([secretOf(user), 'MONGODB_URI', withLogin(uri, nextNameOf(user, uri), randomSecret())]);
  }
  values.push([...PREVIOUS_ADMIN, secrets.read(...ADMIN)], [...ADMIN, randomSecret()]);
  values.push([...USERS_ACL, redisAclFile('{guias}', passwords, previous)]);
  return values;
}

/**
 * Returns the Secrets that change: without the former passwords and the plan, and at last the operator's. None changes if no
 * rotation is under way.
 */
export function retirePrevious(items: Secret[]): Secret[] {
  const secrets = new StoredSecrets(items);
  const operator = secrets.find(...NEXT_OPERATOR);
  if (!operator) return [];
  secrets.write(...USERS_ACL, redisAclFile('{guias}', redisPasswordsOf(secrets, operator)));
  secrets.write(...PREVIOUS_ADMIN, undefined);
  // Before the operator's: a plan alone would begin the same rotation again.
  secrets.write(...PLAN, undefined);
  if (secrets.changed().length > 0) return secrets.changed();
  secrets.write(...OPERATOR, operator);
  secrets.write(...NEXT_OPERATOR, undefined);
  return secrets.changed();
}

function redisPasswordsOf(secrets: StoredSecrets, operator: string): RedisPasswords {
  const passwordOf = (service: string) => loginOf(secrets.read(secretOf(service), 'REDIS_URL')).password;
  return { ...byName(REDIS_SERVICES, passwordOf), operator };
}

function nextNameOf(user: MongoUser, uri: string): string {
  const { name } = loginOf(uri);
  const generation = generationOf(user, name);
  if (generation === undefined) throw new Error(`The MONGODB_URI of ${user} names another user: ${name}.`);
  return mongoUserName(user, nextGeneration(generation));
}

/** An address may name several hosts, which no URL does. */
const LOGIN = /(?<=^[a-z+]+:\/\/)([^:@/]*):([^@/]*)(?=@)/;

function loginOf(address: string): { name: string; password: string } {
  const [, name, password] = LOGIN.exec(address) ?? [];
  if (name === undefined || password === undefined) throw new Error('An address has no user and password.');
  return { name: decodeURIComponent(name), password: decodeURIComponent(password) };
}

function withLogin(address: string, name: string, password: string): string {
  return address.replace(LOGIN, () => `${name}:${password}`);
}

/** Secrets as `kubectl get` prints them, whose values can be read and changed. */
class StoredSecrets {
  readonly #byName: ReadonlyMap<string, Secret>;
  readonly #changed = new Set<Secret>();

  constructor(items: Secret[]) {
    this.#byName = new Map(items.map((secret) => [secret.metadata.name, secret]));
  }

  /** @throws if there is no such value: the Secrets are not those of k8s/small. */
  read(name: string, key: string): string {
    const value = this.find(name, key);
    if (value === undefined) throw new Error(`The Secret ${name} on standard input has no ${key}.`);
    return value;
  }

  find(name: string, key: string): string | undefined {
    const value = this.#byName.get(name)?.data?.[key];
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
  }

  /** @param value `undefined` removes the key. */
  write(name: string, key: string, value: string | undefined): void {
    if (this.find(name, key) === value) return;
    const secret = this.#byName.get(name);
    if (!secret) throw new Error(`There is no Secret ${name} on standard input.`);
    const { [key]: _, ...others } = secret.data ?? {};
    secret.data = value === undefined ? others : { ...others, [key]: Buffer.from(value).toString('base64') };
    this.#changed.add(secret);
  }

  /** Returns the Secrets that have other values than at first. */
  changed(): Secret[] {
    return [...this.#changed];
  }
}
