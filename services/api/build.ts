import { mkdir, rename, rm } from 'node:fs/promises';
import { untilPipeBreaks } from '#shared/commands/broken-pipe.ts';
import { ROOMS } from './app.ts';
import { builtFolder } from './http/built-files.ts';

/** `npm run build`: runs the builds of all rooms (docs/architecture.md "What is built"). */

const HELP = `Usage: npm run build

Builds what the api serves to browsers into services/api/built. npm start and the tests do it themselves.
`;

process.exitCode = await untilPipeBreaks(async () => {
  if (process.argv.includes('--help')) process.stdout.write(HELP);
  else await Promise.all(ROOMS.map(({ data, builds }) => builds && build(data.name, builds)));
  return 0;
});

/** Replaces a room's folder at once: a build that fails leaves the former one, and an api that starts meanwhile finds all of it. */
async function build(name: string, builds: (folder: string) => Promise<void>): Promise<void> {
  const folder = builtFolder(name);
  const [made, former] = ['made', 'former'].map((word) => `${folder}.${word}-${process.pid}`) as [
    string,
    string,
  ];
  try {
    for (const each of [folder, made]) await mkdir(each, { recursive: true });
    await builds(made);
    await rename(folder, former);
    await rename(made, folder);
  } finally {
    for (const each of [made, former]) await rm(each, { recursive: true, force: true });
  }
}
