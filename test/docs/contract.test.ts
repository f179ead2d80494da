import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { httpErrors } from '#services/api/errors.ts';
import type { HttpErrors } from '#shared/http/http-errors.ts';

const page = readFileSync(join(repoRoot, 'docs/contract.md'), 'utf8');
const table: HttpErrors = httpErrors;
/** What the service fills into a message is `…` on the page. */
const params = new Proxy({}, { get: () => '…' });

it.each(Object.entries(table))(
  'docs/contract.md has the message, status and code of %s',
  (_, { status, codigo, message }) => {
    const text = typeof message === 'string' ? message : message(params, [{ codigo: '…', message: '…' }]);
    // The message of `guides-invalid` is that of its first problem, each of which has a row of its own.
    if (text !== '…') expect(page).toContain(`| \`${text}\` | ${status} | \`${codigo}\` |`);
  },
);
