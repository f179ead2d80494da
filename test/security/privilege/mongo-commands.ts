import { MONGO_ROLES } from '#local/access/mongo-roles.ts';
import type { MongoAction, MongoUser } from '#shared/stores/collection.ts';
import { type MongoCommand, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';

/** What a command needs: actions on a collection. */
type Needs = { collection: string; actions: string[] };

/** Starts a proxy in front of a MongoDB, which keeps every command that passes. @param uri of the server. */
export async function recordCommands(uri: string) {
  const commands: MongoCommand[] = [];
  const proxy = await startMongoProxy(uri, (command) => {
    commands.push(command);
    return 'done';
  });
  return { ...proxy, commands };
}

/** Commands of a connection, which need no right. */
const FREE = new Set([
  'hello',
  'ismaster',
  'buildInfo',
  'ping',
  'endSessions',
  'killCursors',
  'saslStart',
  'saslContinue',
]);

/**
 * Returns what MongoDB demands for a command (https://www.mongodb.com/docs/manual/reference/privilege-actions/); an upsert
 * is an insert too.
 */
function needsOf(command: MongoCommand): Needs | undefined {
  const name = Object.keys(command)[0] ?? '';
  if (FREE.has(name)) return undefined;
  const on = (...actions: (string | false)[]) => ({
    collection: String(name === 'getMore' ? command.collection : command[name]),
    actions: actions.filter((action) => action !== false),
  });
  switch (name) {
    case 'find':
    case 'count':
    case 'distinct':
    case 'getMore':
      return on('find');
    case 'aggregate':
      return on('find', /"\$(out|merge|lookup|unionWith|graphLookup)"/.test(JSON.stringify(command)) && name);
    case 'insert':
      return on('insert');
    case 'update':
      return on(
        'update',
        (command.updates as { upsert?: boolean }[]).some(({ upsert }) => upsert) && 'insert',
      );
    case 'findAndModify':
      return command.remove
        ? on('find', 'remove')
        : on('find', 'update', Boolean(command.upsert) && 'insert');
    case 'delete':
      return on('remove');
    case 'createIndexes':
      return on('createIndex');
    default:
      return on(name);
  }
}

/** Tells whether a user's role allows a command on the services' database. */
export function mayRun(user: MongoUser, command: MongoCommand): boolean {
  const needs = needsOf(command);
  if (!needs) return true;
  const rights: Readonly<Record<string, readonly MongoAction[]>> = MONGO_ROLES[user];
  const granted: readonly string[] = rights[needs.collection] ?? rights[''] ?? [];
  return needs.actions.every((action) => granted.includes(action));
}

/** Says a command in a few words, for a failed test. */
export function describeCommand(command: MongoCommand): string {
  const needs = needsOf(command);
  return needs ? `${needs.actions.join('+')} ${needs.collection}` : (Object.keys(command)[0] ?? '');
}
