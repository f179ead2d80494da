import { join } from 'node:path';
import { repoRoot } from '#local/folders.ts';
import { compile, expectLabel, programFolder, run, test } from './clients.ts';

test('a program that openapi-typescript has typed compiles, creates a guide and prints it', async ({
  api,
  document,
  folder,
}) => {
  const own = await programFolder(folder, 'openapi-typescript.txt', 'program.ts');
  const cli = join(repoRoot, 'node_modules/openapi-typescript/bin/cli.js');
  const typescript5 = join(import.meta.dirname, 'typescript-5.ts');
  await run(process.execPath, ['--import', typescript5, cli, document, '--output', 'schema.d.ts'], own);
  await compile(own);
  await expectLabel(own, api.url, process.execPath, 'made/program.js');
});
