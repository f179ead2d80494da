import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { aDayOfTheClient } from './client-day.ts';
import { buildPython, installWheel } from './packages.ts';

aDayOfTheClient('Python', async ({ document, folder }) => {
  const cwd = join(folder, 'python');
  await mkdir(cwd);
  const python = await installWheel(await buildPython(document, folder), join(cwd, 'installed'));
  const chapter = { line: 'from guias_de_envio import', file: 'chapter.py' };
  return {
    day: [python, join(import.meta.dirname, 'programs/day.py')],
    retries: [python, join(import.meta.dirname, 'programs/retries.py')],
    cwd,
    chapter: { ...chapter, command: [python, chapter.file] },
  };
});
