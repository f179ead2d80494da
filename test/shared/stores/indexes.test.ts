import type { mongo } from 'mongoose';
import { expect, test } from 'vitest';
import { COLLECTIONS } from '#local/access/mongo-roles.ts';

/**
 * The indexes that releases have made, in the databases of operators: MongoDB refuses another definition under the same
 * name, and then the api never gets ready. Tests have fresh databases, and do not see that.
 */

/** Returns the name that MongoDB gives an index, or the name of its own. */
function nameOf(fields: mongo.IndexSpecification, options: mongo.CreateIndexesOptions = {}): string {
  return options.name ?? Object.entries(fields).flat().join('_');
}

const indexes = COLLECTIONS.flatMap(({ name: collection, indexes = [] }) =>
  indexes.map(
    ([fields, options]) => `${collection} ${nameOf(fields, options)} ${JSON.stringify(options ?? {})}`,
  ),
);

test('no index changes that databases have: add another with a name of its own (then vitest -u writes it)', async () => {
  await expect(indexes.toSorted().join('\n')).toMatchFileSnapshot('indexes.txt');
});
