import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clientTools } from '#test/clients/tools/client-tools.ts';
import { aDayOfTheClient } from './client-day.ts';
import { run } from './clients.ts';
import { installWheel } from './packages.ts';

const PROGRAMS = join(import.meta.dirname, 'programs');

aDayOfTheClient('Python', 'pip', async (address, folder) => {
  const cwd = join(folder, 'python');
  await mkdir(cwd);
  const python = await installWheel(address, join(cwd, 'installed'));
  // The types are right if they take what is right and refuse what is wrong, and the package has no mistake of its own.
  await copyFile(join(PROGRAMS, 'typed.py'), join(cwd, 'typed.py'));
  const check = ['-m', 'mypy', '--strict', '--python-executable', python];
  await run(clientTools.python, [...check, 'typed.py'], cwd);
  await run(clientTools.python, [...check, '-p', 'guias_de_envio'], cwd);
  const program = (name: string, ...args: string[]) => [python, join(PROGRAMS, name), ...args] as const;
  return {
    day: program('day.py'),
    retries: { usual: program('retries.py'), async: program('retries.py', 'async') },
    cwd,
    chapter: { line: 'import ClienteDeGuias\n', file: 'chapter.py', command: [python, 'chapter.py'] },
  };
});
