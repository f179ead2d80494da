import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '#local/programs/ensure-programs.ts';
import { codeBlocks } from '#test/api/manual/code-blocks.ts';
import { expectLabel, test } from './clients.ts';

/** The programs for TypeScript and Python in this chapter are in client-day.ts. */
test.runIf(findProgram('pwsh'))(
  'the chapter on clients prints a label with PowerShell',
  async ({ api, folder }) => {
    const blocks = codeBlocks(await (await fetch(`${api.url}/api/docs/cliente`)).text());
    const own = join(folder, 'powershell');
    await mkdir(own);
    await writeFile(
      join(own, 'primera.ps1'),
      blocks.find((block) => block.includes('Invoke-RestMethod')) ?? '',
    );
    await expectLabel(own, api.url, 'pwsh', 'primera.ps1');
  },
);
