import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COLLECTIONS } from '#local/access/mongo-roles.ts';
import { repoRoot } from '#local/folders.ts';
import { indexName } from '#shared/stores/collection.ts';

/**
 * The indexes that releases have made, in the databases of operators: MongoDB refuses another definition under the same
 * name, and then the api never gets ready. Tests have fresh databases, and do not see that. No command writes the file.
 */
const FILE = 'test/shared/stores/indexes.txt';
const stored = readFileSync(join(repoRoot, FILE), 'utf8').trimEnd().split('\n');

const lines = COLLECTIONS.flatMap(({ name: collection, indexes = [] }) =>
  indexes.map((index) => {
    const [, options = {}] = index;
    return `${collection} ${options.name ?? indexName(index)} ${JSON.stringify(options)}`;
  }),
);
/** Returns the collection and the name of the index. */
const nameOf = (line: string) => line.split(' ', 2).join(' ');

test('no index changes that databases have', () => {
  const names = new Set(stored.map(nameOf));
  const changed = lines.filter((line) => names.has(nameOf(line)) && !stored.includes(line));
  expect(
    changed,
    'databases have an index of this name with other options. Leave it, and make another list with an index of its own `name`',
  ).toEqual([]);
});

test('a new index has a line in the file, and one that is gone has none', () => {
  expect(lines.map(nameOf).toSorted(), `write the line by hand into ${FILE}`).toEqual(
    stored.map(nameOf).toSorted(),
  );
});
