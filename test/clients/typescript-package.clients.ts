import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aDayOfTheClient } from './client-day.ts';
import { compile } from './clients.ts';
import { installTarball } from './packages.ts';

// The day is also a test of the types: it does not compile if they refuse what is right, or take what is wrong.
aDayOfTheClient('TypeScript', 'npm', async (address, folder) => {
  const cwd = join(folder, 'typescript');
  await installTarball(address, cwd);
  for (const name of ['day', 'retries']) {
    await copyFile(join(import.meta.dirname, `programs/${name}-typescript.txt`), join(cwd, `${name}.ts`));
  }
  await compile(cwd, {
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  });
  const chapter = { line: "from 'guias-de-envio'", file: 'chapter.ts' };
  return {
    day: [process.execPath, 'made/day.js'],
    retries: { usual: [process.execPath, 'made/retries.js'] },
    cwd,
    chapter: { ...chapter, command: [process.execPath, chapter.file] },
  };
});
