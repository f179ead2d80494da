import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '#local/access/mongo-roles.ts';
import { ROOMS } from '#services/api/app.ts';
import {
  body,
  defineCollection,
  KEYWORD,
  listOf,
  MOMENT,
  optional,
  part,
  pathsOfUser,
  TEXT,
} from '#shared/stores/collection.ts';

/** What a collection must say of its documents. */

const FACTS = { id: '', holds: '', life: '', rights: {} } as const;
const STAYS = { ...FACTS, testAccounts: { stay: 'Nothing of an account' } } as const;
const EXPIRES = { ...FACTS, testAccounts: 'expire' } as const;

it('does not compile with a text that it does not state', () => {
  defineCollection('notes', { _id: KEYWORD, lines: optional(listOf(part({ code: KEYWORD }))) }, STAYS);
  // @ts-expect-error It does not say whether `text` may name a person.
  defineCollection('notes', { _id: KEYWORD, text: TEXT }, STAYS);
  // @ts-expect-error It does not say whether the texts of `lines` may.
  defineCollection('notes', { _id: KEYWORD, lines: listOf(part({ text: optional(TEXT) })) }, STAYS);
  // @ts-expect-error It does not say why `text` names nobody.
  defineCollection('notes', { _id: KEYWORD, text: TEXT }, { ...STAYS, people: { text: false } });
  const people = { text: 'person', lines: { text: 'nobody: words of a list' }, told: 'person' } as const;
  const lines = listOf(part({ text: TEXT, code: KEYWORD }));
  defineCollection('notes', { text: TEXT, lines, told: body<{ note?: string }>() }, { ...STAYS, people });
});

it('does not compile if its documents are to expire and have no such field, or stay without a reason', () => {
  defineCollection('notes', { _id: KEYWORD, expiresAt: optional(MOMENT) }, EXPIRES);
  // @ts-expect-error It has no `expiresAt`.
  defineCollection('notes', { _id: KEYWORD }, EXPIRES);
  // @ts-expect-error A word is no reason.
  defineCollection('notes', { _id: KEYWORD }, { ...FACTS, testAccounts: { stay: 'x' } });
});

describe.each(COLLECTIONS.filter(({ testAccounts }) => testAccounts === 'expire'))(
  'the collection $name, in which what test accounts store expires',
  ({ indexes = [] }) => {
    it('has an index by which MongoDB deletes it', () => {
      const expiring = indexes.filter(([, options]) => options?.expireAfterSeconds === 0);
      expect(expiring.map(([fields]) => fields)).toEqual([{ expiresAt: 1 }]);
    });
  },
);

it('names persons only if its room brings its texts to retention, erasure and export', () => {
  const untold = ROOMS.filter(({ data, personalData }) => {
    const collections = data.collections === 'none' ? [] : data.collections;
    if (!collections.some(({ people = {} }) => namesPersons(people))) return false;
    // Over guides, `privacy` walks itself.
    if (data.name === 'guides') return false;
    return personalData === 'none' || [personalData.besideGuides, personalData.accountTexts].every(isNone);
  });
  expect(untold.map(({ data }) => data.name)).toEqual([]);
});

describe.each(ROOMS)('the room $data.name', ({ data, personalData }) => {
  const collections = data.collections === 'none' ? [] : data.collections;
  const { users, accounts } = personalData === 'none' ? { users: 'none', accounts: 'none' } : personalData;

  it('says what becomes of the users whom its documents name, and of the accounts to which they belong', () => {
    const naming = collections.filter((collection) => pathsOfUser(collection).length > 0);
    const owned = collections.filter(({ schema }) => schema.path('account'));
    expect(users === 'none' ? naming.map(({ name }) => name) : [], '`users` of personalData').toEqual([]);
    expect(accounts === 'none' ? owned.map(({ name }) => name) : [], '`accounts` of personalData').toEqual(
      [],
    );
  });

  it('has a word for what it moves, forgets and ends of users, and for nothing else', () => {
    const { moveToAccount, forgetUser, endAccess } =
      typeof users === 'string' ? { moveToAccount: '', forgetUser: '', endAccess: '' } : users;
    const words = data.users === 'none' ? { moves: 'none', forgets: 'none', ends: 'none' } : data.users;
    expect(Object.entries(words).map(([does, word]) => [does, word !== 'none'])).toEqual([
      ['moves', typeof moveToAccount === 'function'],
      ['forgets', typeof forgetUser === 'function'],
      ['ends', typeof endAccess === 'function'],
    ]);
  });
});

function isNone(part: unknown): boolean {
  return part === 'none';
}

function namesPersons(people: object): boolean {
  return Object.values(people).some((text) =>
    typeof text === 'object' ? namesPersons(text) : text === 'person',
  );
}
