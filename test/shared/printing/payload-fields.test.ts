import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { LabelPayload } from '#shared/labels/label-payload.ts';
import { ManifestPayload } from '#shared/manifests/manifest-payload.ts';

/**
 * The fields that workers of 1.9 know. They refuse a payload with another, and in a rolling upgrade print nothing that has it. The
 * release after the next needs this test no more: every worker then prints without what it does not know.
 */
const FILE = 'test/shared/printing/payload-fields.txt';

/** Returns the paths of all fields within a schema. */
function fieldsOf(schema: TSchema, path: string): string[] {
  const { properties = {}, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema };
  const own = Object.entries(properties).map(([name, field]) => [`${path}.${name}`, field] as const);
  const inItems = items ? fieldsOf(items, path) : [];
  return [...inItems, ...own.flatMap(([name, field]) => [name, ...fieldsOf(field, name)])];
}

test('a label and a manifest have no field that a worker of 1.9 refuses', () => {
  const known = readFileSync(join(repoRoot, FILE), 'utf8').trimEnd().split('\n');
  const fields = [...fieldsOf(LabelPayload, 'label'), ...fieldsOf(ManifestPayload, 'manifest')];
  expect(
    fields.filter((field) => !known.includes(field)),
    'workers of 1.9 would print no label with these fields: add them in the release after the next (CONTRIBUTING.md "How to release")',
  ).toEqual([]);
});
