import { mkdir, rename, rm } from 'node:fs/promises';
import { untilPipeBreaks } from '#shared/commands/broken-pipe.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { buildApi, ROOMS } from './app.ts';
import { ApiConfig, LABEL_TIMEOUTS } from './config.ts';
import { builtFolder } from './http/built-files.ts';

/** `npm run build`: runs the builds of all rooms (docs/architecture.md "What is built"). */

/** Nothing listens there: a document needs no stores. */
const NOWHERE = '127.0.0.1:1';
const ENV = {
  MONGODB_URI: `mongodb://${NOWHERE}/nothing`,
  ...{ REDIS_URL: `redis://${NOWHERE}`, LABEL_CACHE_URL: `redis://${NOWHERE}` },
  ...{ BRANCHES_URL: `http://${NOWHERE}`, WEBHOOKS_URL: `http://${NOWHERE}` },
  ...{
    JWT_SECRET: 'of nobody: no token is made here',
    INTERNAL_TOKEN: 'of nobody: no service is asked here',
  },
  DRAIN_MS: '0',
};

let document: Promise<object> | undefined;
const documentOnce = () => {
  document ??= makeDocument();
  return document;
};

const HELP = `Usage: npm run build

Builds what the api serves to browsers, and the clients, into services/api/built. npm start and the tests do it themselves.
`;

process.exitCode = await untilPipeBreaks(async () => {
  if (process.argv.includes('--help')) process.stdout.write(HELP);
  else await Promise.all(ROOMS.map(({ data, builds }) => builds && build(data.name, builds)));
  return 0;
});

/** Replaces a room's folder at once: a build that fails leaves the former one, and an api that starts meanwhile finds all of it. */
async function build(
  name: string,
  builds: (folder: string, document: () => Promise<object>) => Promise<void>,
): Promise<void> {
  const folder = builtFolder(name);
  const [made, former] = ['made', 'former'].map((word) => `${folder}.${word}-${process.pid}`) as [
    string,
    string,
  ];
  try {
    for (const each of [folder, made]) await mkdir(each, { recursive: true });
    await builds(made, documentOnce);
    await rename(folder, former);
    await rename(made, folder);
  } finally {
    for (const each of [made, former]) await rm(each, { recursive: true, force: true });
  }
}

async function makeDocument(): Promise<object> {
  const rooms = ROOMS.filter(({ builds }) => !builds);
  const log = createLogger('api', 'silent');
  const { server } = await buildApi(loadConfig(ApiConfig, ENV), log, undefined, LABEL_TIMEOUTS, rooms);
  await server.ready();
  const made = server.swagger();
  await server.close();
  return made;
}
