import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { ROOMS } from '#services/api/app.ts';
import { errorsOf } from '#services/api/http/room.ts';
import { conformances } from '#test/fixtures/conformance.ts';

/** Each code that the api answers is shown to be answered: a new one needs a row. */

const all = await conformances();
const shown = all.flatMap(({ sections }) =>
  Object.values(sections).flatMap((rows) =>
    rows.flatMap(([, , expected]) => [...JSON.stringify(expected ?? {}).matchAll(/"codigo":"(\w+)"/g)]),
  ),
);
const inRows = new Set(shown.map(([, code]) => code));
const inTests = new Set(all.flatMap(({ elsewhere = {} }) => Object.keys(elsewhere)));
/** Nobody is there to get such an answer. */
const UNSENT = 499;

describe.each([{ data: { name: 'http' }, errors: errorsOf([]) }, ...ROOMS])(
  '$data.name',
  ({ data: { name }, errors }) => {
    const { refusals = {}, elsewhere = {} } = all.find(({ room }) => room === name) ?? {};
    const sent = Object.values(errors).filter(({ status }) => status !== UNSENT);
    const codes = new Set(sent.flatMap(({ codigo }) => codigo ?? []));

    test('has a row of the contract for each of its codes, or names the test that shows it', () => {
      const missing = [...codes].filter((code) => !inRows.has(code) && !inTests.has(code));
      expect(missing).toEqual([]);
    });

    test('names tests only for codes without a row, and these tests have the code', () => {
      const wrong = Object.entries(elsewhere).filter(
        ([code, path]) => inRows.has(code) || !readFileSync(join(repoRoot, path), 'utf8').includes(code),
      );
      expect(wrong).toEqual([]);
    });

    test('says what its own codes say', () => {
      expect(Object.keys(refusals).filter((code) => !codes.has(code))).toEqual([]);
    });
  },
);
