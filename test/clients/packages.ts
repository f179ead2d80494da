import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clientTools } from '#test/clients/tools/client-tools.ts';
import { run } from './clients.ts';

/** How customers install the packages that the service serves. */

/** Installs the package for TypeScript by the address in the guide, into an empty folder. */
export async function installTarball(address: string, into: string): Promise<void> {
  await mkdir(into);
  await writeFile(join(into, 'package.json'), '{ "type": "module" }');
  await run('npm', ['install', '--ignore-scripts', address], into);
}

/** Installs the wheel by the address in the guide, into an environment of its own. @returns that environment's Python. */
export async function installWheel(address: string, into: string): Promise<string> {
  await run(clientTools.python, ['-m', 'venv', '--without-pip', into], join(into, '..'));
  const python = join(into, 'bin/python3');
  const install = ['install', '--no-cache-dir', '--constraint', clientTools.requirements, address];
  await run(clientTools.python, ['-m', 'pip', '--python', python, ...install], into);
  return python;
}
