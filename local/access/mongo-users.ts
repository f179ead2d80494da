import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, mongo } from 'mongoose';
import { type Static, Type } from 'typebox';
import { AUDIT } from '#shared/audit/audit-store.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { mongoSettings } from '#shared/config/settings.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { createIndexes, MONGO_USERS, type MongoUser } from '#shared/stores/collection.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { runProgram } from '../run-program.ts';
import { generationOf, mongoUserName, nextGeneration, PREVIOUS_ADMIN_PASSWORD } from './mongo-names.ts';
import { privilegesOf, roleName } from './mongo-roles.ts';

/**
 * Creates MongoDB's roles and users, or updates them. Compose and k8s/small run it at every start, before the
 * services, so an upgrade that changes a role needs no step by hand. A user is the one in the user's own connection
 * string, so a password stands in one place. Removes users of the other generation, except while a rotation is under way.
 */

const HELP = `Usage: npm run users:mongodb [-- --print]

Creates or updates MongoDB's roles and users, and the indexes of the audit log, as the administrator of MONGODB_ADMIN_URI.

  --print  print them as commands of mongosh, for a MongoDB of somebody else's
  --help   show this text
`;

const Settings = Type.Object({
  MONGODB_ADMIN_URI: Type.String({
    ...mongoSettings.MONGODB_URI,
    description:
      'MongoDB as its administrator, without the password, with the database of the services in its path',
    examples: ['mongodb://guias@mongo:27017/guias?authSource=admin'],
  }),
  MONGODB_ADMIN_PASSWORD: Type.String({ writeOnly: true, description: "The administrator's password" }),
  MONGODB_USERS: Type.String({
    description: `Folder with a file for each user, which holds the user's MONGODB_URI: ${MONGO_USERS.join(', ')}. While passwords are rotated, ${PREVIOUS_ADMIN_PASSWORD} has the administrator's former one`,
    examples: ['/run/secrets/users'],
  }),
});

/** An error code of MongoDB. */
const AUTHENTICATION_FAILED = 18;

if (import.meta.main) {
  await runProgram(HELP, { print: { type: 'boolean' } }, async ({ print }) => {
    if (print) process.stdout.write(mongoshCommands());
    else await applyUsers();
  });
}

async function applyUsers(): Promise<void> {
  const settings = loadConfig(Settings, process.env);
  const read = (name: string) => {
    const file = join(settings.MONGODB_USERS, name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  };
  const previousPassword = read(PREVIOUS_ADMIN_PASSWORD);
  const connection = await connectAsAdmin(settings, previousPassword);
  try {
    for (const user of MONGO_USERS) {
      const uri = read(user);
      if (!uri) process.stdout.write(`There is no file of ${user} in ${settings.MONGODB_USERS}: it stays.\n`);
      else await applyUser(connection.getClient(), user, uri, previousPassword === '');
    }
    // No other user may create them: an index with another TTL would delete the audit log.
    await createIndexes(connection, AUDIT);
  } finally {
    await connection.close();
  }
}

/** Gives the administrator the new password, if MongoDB knows only the former one. */
async function connectAsAdmin(
  { MONGODB_ADMIN_URI, MONGODB_ADMIN_PASSWORD }: Static<typeof Settings>,
  previousPassword: string,
): Promise<Connection> {
  const log = createLogger('mongo-users', 'warn');
  const connect = (password: string) =>
    connectMongo(MONGODB_ADMIN_URI.replace('@', `:${encodeURIComponent(password)}@`), log);
  if (!previousPassword) return connect(MONGODB_ADMIN_PASSWORD).catch(explainRefusal);
  try {
    return await connect(MONGODB_ADMIN_PASSWORD);
  } catch (error) {
    if ((error as { code?: unknown }).code !== AUTHENTICATION_FAILED) throw error;
    const connection = await connect(previousPassword).catch(explainRefusal);
    const client = connection.getClient();
    const { username, source } = client.options.credentials as mongo.MongoCredentials;
    await client.db(source).command({ updateUser: username, pwd: MONGODB_ADMIN_PASSWORD });
    return connection;
  }
}

/** The usual cause: the image mongo never repairs an interrupted first start. */
function explainRefusal(error: Error & { code?: unknown }): never {
  if (error.code !== AUTHENTICATION_FAILED) throw error;
  throw new Error(
    'MongoDB refuses its administrator. Either the password is another one, or its first start ended before it created the administrator: remove its empty volume then (docker compose down; docker volume rm guias_mongo), and start again.',
    { cause: error },
  );
}

/**
 * @param uri the user's own connection string.
 * @param alone whether the user of the other generation goes.
 */
async function applyUser(
  client: mongo.MongoClient,
  user: MongoUser,
  uri: string,
  alone: boolean,
): Promise<void> {
  const { credentials, dbName } = new mongo.MongoClient(uri).options;
  if (!credentials?.username) throw new Error(`The MONGODB_URI of ${user} names no user.`);
  const roles = client.db(dbName);
  const role = { privileges: privilegesOf(user, dbName), roles: [] };
  const name = roleName(user);
  const [known] = (await roles.command({ rolesInfo: name })).roles;
  await roles.command({ [known ? 'updateRole' : 'createRole']: name, ...role });

  const users = client.db(credentials.source);
  const [existing] = (await users.command({ usersInfo: credentials.username })).users;
  await users.command({
    [existing ? 'updateUser' : 'createUser']: credentials.username,
    pwd: credentials.password,
    roles: [{ role: name, db: dbName }],
  });
  process.stdout.write(`The user ${credentials.username} has the role ${name}.\n`);

  const generation = generationOf(user, credentials.username);
  if (!alone || generation === undefined) return;
  const former = mongoUserName(user, nextGeneration(generation));
  if ((await users.command({ usersInfo: former })).users.length === 0) return;
  await users.command({ dropUser: former });
  process.stdout.write(`The user ${former} is removed.\n`);
}

/** Returns commands for mongosh, which asks for the passwords. `db` is the services' database. */
function mongoshCommands(): string {
  const lines = MONGO_USERS.flatMap((user) => {
    const role = roleName(user);
    const privileges = privilegesOf(user, '').map(({ resource: { collection }, actions }) => {
      return `  { resource: { db: db.getName(), collection: '${collection}' }, actions: ${JSON.stringify(actions)} },`;
    });
    return [
      `db.createRole({ role: '${role}', roles: [], privileges: [`,
      ...privileges,
      ']});',
      `db.createUser({ user: '${user}', pwd: passwordPrompt(), roles: ['${role}'] });`,
    ];
  });
  const indexes = (AUDIT.indexes ?? []).map(
    ([key, options = {}]) =>
      `db.getCollection('${AUDIT.name}').createIndex(${JSON.stringify(key)}, ${JSON.stringify(options)});`,
  );
  return `${[...lines, ...indexes].join('\n')}\n`;
}
