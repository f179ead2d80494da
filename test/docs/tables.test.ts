import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';
import { TABLES } from './tables.ts';

/** The tables that stand between `<!-- name -->` and `<!-- end -->` in a document, by its path. */
const PAGES: Record<string, (keyof typeof TABLES)[]> = {
  'docs/contract.md': ['states', 'demoUsers'],
  'docs/rooms.md': ['roomFacts', 'rooms', 'personalData', 'redisKeys', 'collections'],
  'k8s/settings.md': ['settings'],
  'examples/templates/README.md': ['helpers', 'fields'],
};

test('every table that a page marks is written, and every table is on a page', () => {
  const marked = repositoryFiles
    // `npm run bench` writes the figures of docs/performance.md.
    .filter((path) => path.endsWith('.md') && path !== 'docs/performance.md')
    .flatMap((path) =>
      [...readFileSync(join(repoRoot, path), 'utf8').matchAll(/^<!-- (\w+) -->$/gm)]
        .filter(([, name]) => name !== 'end')
        .map(([, name]) => `${path}: ${name}`),
    );
  const written = Object.entries(PAGES).flatMap(([page, names]) => names.map((name) => `${page}: ${name}`));
  expect(marked.toSorted()).toEqual(written.toSorted());
  expect(Object.values(PAGES).flat().toSorted()).toEqual(Object.keys(TABLES).toSorted());
});

/** `UPDATE_DOCS=1 npm test -- test/docs/tables` writes the tables anew. */
test.for(Object.entries(PAGES).flatMap(([page, names]) => names.map((name) => [page, name] as const)))(
  '%s has the table %s as the code says',
  ([page, name]) => {
    const path = join(repoRoot, page);
    const text = readFileSync(path, 'utf8');
    const marked = new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*?(?=<!-- end -->)`);
    const table = TABLES[name]();
    if (process.env.UPDATE_DOCS && marked.test(text))
      writeFileSync(
        path,
        text.replace(marked, () => table),
      );
    expect(marked.exec(readFileSync(path, 'utf8'))?.[0]).toBe(table);
  },
);
