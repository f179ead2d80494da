import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { mongo } from 'mongoose';
import { MONGO_ROLES, type MongoAction, type MongoUser } from '#local/access/mongo-roles.ts';

/** MongoDB's wire protocol: an OP_MSG is a header of 16 bytes, 4 bytes of flags, and a section of kind 0 with a document. */
const HEADER_BYTES = 16;
const OP_MSG = 2_013;

export type MongoCommand = Record<string, unknown> & { $db: string };

/** What a command needs: actions on a collection. */
type Needs = { collection: string; actions: string[] };

/** Starts a proxy in front of a MongoDB, which keeps every command that passes. @param uri of the server. */
export async function recordCommands(uri: string) {
  const target = new URL(uri);
  const commands: MongoCommand[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {}).on('close', () => to.destroy());
      from.pipe(to);
    }
    let pending = Buffer.alloc(0);
    client.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= HEADER_BYTES && pending.length >= pending.readInt32LE(0)) {
        const message = pending.subarray(0, pending.readInt32LE(0));
        pending = pending.subarray(message.length);
        if (message.readInt32LE(12) === OP_MSG) commands.push(readCommand(message));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    uri: Object.assign(new URL(uri), { port: String(port) }).href,
    commands,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readCommand(message: Buffer): MongoCommand {
  const kind = message.readUInt8(HEADER_BYTES + 4);
  if (kind !== 0) throw new Error(`A section of kind ${kind} is not known here`);
  const start = HEADER_BYTES + 5;
  const document = message.subarray(start, start + message.readInt32LE(start));
  return mongo.BSON.deserialize(document) as MongoCommand;
}

/** Commands of a connection, which need no right. */
const FREE = new Set(['hello', 'ping', 'endSessions', 'killCursors', 'saslStart', 'saslContinue']);

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
