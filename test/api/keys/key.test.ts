import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isKey, looksLikeKey, newKey, startOf } from '#services/api/keys/key.ts';

test('a key says what it is, and no two are equal', () => {
  const [one, other] = [newKey(false), newKey(false)];
  expect(one).toMatch(/^gk_live_[\w-]{43}[0-9a-z]{6}$/);
  expect(newKey(true)).toMatch(/^gk_test_/);
  expect(one).not.toBe(other);
  expect(isKey(one)).toBe(true);
  expect(one.startsWith(startOf(one))).toBe(true);
});

test('a mistyped key is told apart without a look-up', () => {
  const key = newKey(false);
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: key.length - 1 }),
      fc.string({ minLength: 1, maxLength: 1 }),
      (at, character) => {
        const typed = key.slice(0, at) + character + key.slice(at + 1);
        return typed === key || !isKey(typed);
      },
    ),
  );
  for (const typed of [key.slice(1), key.slice(0, -1), `${key} `, '', 'gk_'])
    expect(isKey(typed)).toBe(false);
});

test('a token does not look like a key', () => {
  expect(looksLikeKey('eyJhbGciOiJIUzI1NiJ9.e30.x')).toBe(false);
});
