import { globSync } from 'node:fs';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { clientTools } from '#test/clients/tools/client-tools.ts';
import { compile, expectLabel, programFolder, run, test } from './clients.ts';

/** Makes a client of the document in `into`, and returns what the generator warns of. */
async function generate(document: string, into: string, generator: string, ...options: string[]) {
  const args = ['generate', '-i', document, '-g', generator, '-o', into, ...options];
  await run('java', ['-jar', clientTools.generator, ...args], join(document, '..'));
}

describe('openapi-generator makes a client', () => {
  test('for TypeScript that creates a guide and prints it', async ({ api, document, folder }) => {
    const own = await programFolder(folder, 'typescript-fetch.txt', 'program.ts');
    const options = 'importFileExtension=.js,modelPropertyNaming=original';
    await generate(document, join(own, 'client'), 'typescript-fetch', `--additional-properties=${options}`);
    await compile(own);
    await expectLabel(own, api.url, process.execPath, 'made/program.js');
  });

  test('for Python that creates a guide and prints it', async ({ api, document, folder }) => {
    const own = await programFolder(folder, 'client.py', 'program.py');
    await generate(document, own, 'python');
    await expectLabel(own, api.url, clientTools.python, 'program.py');
  });

  test('for PHP in which every file is PHP', async ({ document, folder }) => {
    const own = join(folder, 'php');
    await generate(document, own, 'php');
    const files = globSync('lib/**/*.php', { cwd: own });
    expect(files).toContain(join('lib', 'Model', 'SolicitudDeGuias.php'));
    for (const file of files) await run('php', ['-l', file], own);
  });

  test('for Java that compiles', async ({ document, folder }) => {
    const own = join(folder, 'java');
    await generate(document, own, 'java', '--library', 'native');
    const files = globSync('src/main/java/**/*.java', { cwd: own });
    expect(files.some((file) => file.endsWith('SolicitudDeGuias.java'))).toBe(true);
    const options = ['-proc:none', '-nowarn', '-d', 'classes', '-cp', clientTools.classPath];
    await run('javac', [...options, ...files], own);
  });
});

test('openapi-typescript makes types, by which the shop of examples/tienda is right', async ({
  document,
  folder,
}) => {
  const own = join(folder, 'shop');
  await cp(join(repoRoot, 'examples/tienda/node'), own, { recursive: true });
  await symlink(join(repoRoot, 'node_modules'), join(own, 'node_modules'));
  await run(join(clientTools.nodeModules, '.bin', 'openapi-typescript'), [document, '-o', 'guias.d.ts'], own);
  const compilerOptions = {
    ...{ strict: true, target: 'es2024', module: 'nodenext', skipLibCheck: true, noEmit: true },
    ...{ allowImportingTsExtensions: true, erasableSyntaxOnly: true, types: ['node'] },
  };
  await writeFile(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['tienda.mts'] }));
  await run(join(repoRoot, 'node_modules/.bin/tsc'), ['-p', '.'], own);
});
