import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CALLS } from '#services/label-worker/label/attributes.ts';
import { sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { labelView } from '#services/label-worker/label/view.ts';

/** `UPDATE_DOCS=1 npm test -- test/label-worker/templates/readme` writes the tables of the page anew. */
const PAGE = 'examples/templates/README.md';

test.for([
  ['helpers', helpersTable],
  ['fields', fieldsTable],
] as const)('the page lists all %s', ([name, table]) => {
  const page = readFileSync(PAGE, 'utf8');
  const place = new RegExp(`(?<=<!-- ${name} -->\n)[\\s\\S]*?(?=<!-- end -->)`);
  if (process.env.UPDATE_DOCS) return writeFileSync(PAGE, page.replace(place, table));
  expect(place.exec(page)?.[0]).toBe(table());
});

function helpersTable(): string {
  const rows = Object.entries(CALLS).map(([helper, { attributes }]) => {
    const names = Object.entries(attributes).map(
      ([name, type]) => `\`${name}\`${type.endsWith('?') ? '?' : ''}`,
    );
    return `| \`${helper}\` | ${names.join(', ') || '–'} |`;
  });
  return ['| helper | attributes |', '| --- | --- |', ...rows, ''].join('\n');
}

function fieldsTable(): string {
  const { packages, ...view } = labelView(sample({ kind: 'medium', packages: 3 }));
  const rows = leavesOf({ ...view, package: packages[0] }).map(
    ([path, value]) => `| \`${path}\` | ${value ?? 'the logo as a `data:` URI, where there is one'} |`,
  );
  return ['| field | for example |', '| --- | --- |', ...rows, ''].join('\n');
}

function leavesOf(value: object, prefix = ''): [path: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, part]): [string, unknown][] =>
    typeof part === 'object' && part ? leavesOf(part, `${prefix}${name}.`) : [[prefix + name, part]],
  );
}
