import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect } from 'vitest';
import { findProgram } from '#local/programs/ensure-programs.ts';
import { codeBlocks } from '#test/api/manual/code-blocks.ts';
import { clientTools } from '#test/clients/tools/client-tools.ts';
import { test as base, compile, expectLabel, run } from './clients.ts';

/** The chapter "Generar un cliente", typed as it stands. What it installs is there already, in the same version. */

const test = base.extend('blocks', { scope: 'file' }, async ({ api }) =>
  codeBlocks(await (await fetch(`${api.url}/api/docs/cliente`)).text()),
);

/** Returns the only block with a text. */
function blockWith(blocks: readonly string[], text: string): string {
  const [block, ...others] = blocks.filter((each) => each.includes(text));
  if (block === undefined || others.length > 0) throw new Error(`Not one block of the chapter has ${text}`);
  return block;
}

/** Runs the commands of a block but those that install, with programs of `folders` first. */
async function type(block: string, cwd: string, ...folders: string[]): Promise<void> {
  const lines = block.split('\n').filter((line) => !/^(pip|npm) install /.test(line));
  const PATH = [...folders, process.env.PATH].join(delimiter);
  await run('sh', ['-e', '-c', lines.join('\n')], cwd, { PATH });
}

/** Makes a folder with the generator for Python. The script that pip made names the folder in which it was installed. */
async function generatorFolder(own: string): Promise<string> {
  const bin = await folderFor(own, 'bin');
  const script = `#!/bin/sh\nexec '${clientTools.python}' -m openapi_python_client "$@"\n`;
  await writeFile(join(bin, 'openapi-python-client'), script, { mode: 0o755 });
  return bin;
}

async function folderFor(folder: string, name: string): Promise<string> {
  const own = join(folder, name);
  await mkdir(own);
  return own;
}

describe('the chapter on clients', () => {
  test('makes one for Python that creates a guide and prints it', async ({ api, blocks, folder }) => {
    const own = await folderFor(folder, 'python');
    await writeFile(join(own, 'cliente.yaml'), blockWith(blocks, 'content_type_overrides'));
    const commands = blockWith(blocks, 'pip install');
    expect(commands).toContain(`pip install ${clientTools.pinned('openapi-python-client')}`);
    await type(commands, own, await generatorFolder(own));
    await writeFile(join(own, 'programa.py'), blockWith(blocks, 'from guias_de_envio_client import'));
    await expectLabel(own, api.url, clientTools.python, 'programa.py');
  });

  test('makes one for TypeScript that creates a guide and prints it', async ({ api, blocks, folder }) => {
    const own = await folderFor(folder, 'typescript');
    await symlink(clientTools.nodeModules, join(own, 'node_modules'));
    const commands = blockWith(blocks, ' openapi-fetch@');
    for (const name of ['typescript', 'openapi-typescript', 'openapi-fetch']) {
      expect(commands).toContain(` ${clientTools.pinned(name)}`);
    }
    await type(commands, own);
    await writeFile(join(own, 'program.ts'), blockWith(blocks, "from 'openapi-fetch'"));
    await compile(own);
    await expectLabel(own, api.url, process.execPath, 'program.ts');
  });

  test.runIf(findProgram('pwsh'))('prints a label with PowerShell', async ({ api, blocks, folder }) => {
    const own = await folderFor(folder, 'powershell');
    await writeFile(join(own, 'primera.ps1'), blockWith(blocks, 'Invoke-RestMethod'));
    await expectLabel(own, api.url, 'pwsh', 'primera.ps1');
  });
});
