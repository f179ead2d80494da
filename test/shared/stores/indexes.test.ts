import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COLLECTIONS } from '#local/access/mongo-roles.ts';
import { repoRoot } from '#local/folders.ts';
import type { RoomData } from '#shared/room-data.ts';
import { ROOM_COLLECTIONS, ROOMS_DATA } from '#shared/rooms.ts';
import { indexName } from '#shared/stores/collection.ts';

/**
 * The indexes that releases have made, in the databases of operators: MongoDB refuses another definition under the same
 * name, and then the api never gets ready. Tests have fresh databases, and do not see that. No command writes the files.
 */
const ROOMS = ROOMS_DATA.map(({ name, collections }: RoomData) => ({
  folder: `test/api/${name}`,
  collections: collections === 'none' ? [] : collections,
}));
const OF_NO_ROOM = {
  folder: 'test/shared/stores',
  collections: COLLECTIONS.filter((each) => !ROOM_COLLECTIONS.includes(each)),
};

const OWNERS = [...ROOMS, OF_NO_ROOM].map(({ folder, collections }) => {
  const file = `${folder}/indexes.txt`;
  const path = join(repoRoot, file);
  const lines = collections.flatMap(({ name: collection, indexes = [] }) =>
    indexes.map((index) => {
      const [, options = {}] = index;
      return `${collection} ${options.name ?? indexName(index)} ${JSON.stringify(options)}`;
    }),
  );
  return { file, lines, stored: existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [] };
});
/** Returns the collection and the name of the index. */
const nameOf = (line: string) => line.split(' ', 2).join(' ');

test.for(OWNERS)('no index of $file changes that databases have', ({ lines, stored }) => {
  const names = new Set(stored.map(nameOf));
  const changed = lines.filter((line) => names.has(nameOf(line)) && !stored.includes(line));
  expect(
    changed,
    'databases have an index of this name with other options. Leave it, and make another list with an index of its own `name`',
  ).toEqual([]);
});

test.for(OWNERS)(
  'a new index has a line in $file, and one that is gone has none',
  ({ file, lines, stored }) => {
    expect(lines.map(nameOf).toSorted(), `write the line by hand into ${file}`).toEqual(
      stored.map(nameOf).toSorted(),
    );
  },
);
