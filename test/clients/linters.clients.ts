import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'vitest';
import { clientTools } from '#test/clients/tools/client-tools.ts';
import { run, test } from './clients.ts';

/** Another linter of the document is in test/api/http/document.test.ts. */

const RULES = `extends: ["spectral:oas"]
`;

describe('spectral', () => {
  test('finds nothing in the document', async ({ document, folder }) => {
    const rules = join(folder, 'spectral.yaml');
    await writeFile(rules, RULES);
    const spectral = join(clientTools.nodeModules, '.bin', 'spectral');
    await run(spectral, ['lint', document, '--ruleset', rules, '--fail-severity', 'hint'], folder);
  });
});
