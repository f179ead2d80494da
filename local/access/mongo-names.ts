import type { MongoUser } from '#shared/stores/collection.ts';

/**
 * The names of MongoDB's users. A user has one password, so a rotation makes a second user with the same role, and removes
 * the first one later. The two names take turns.
 */

/** File beside those of the users: the administrator's former password, while a rotation is under way. */
export const PREVIOUS_ADMIN_PASSWORD = 'previous-admin-password';

const SUFFIXES = ['', '-2'] as const;
export type MongoGeneration = (typeof SUFFIXES)[number];
export const FIRST_GENERATION: MongoGeneration = SUFFIXES[0];

export function nextGeneration(generation: MongoGeneration): MongoGeneration {
  return generation === SUFFIXES[0] ? SUFFIXES[1] : SUFFIXES[0];
}

export function mongoUserName(user: MongoUser, generation: MongoGeneration): string {
  return `${user}${generation}`;
}

/** Returns the generation of a name, or `undefined` for a name that an operator chose. */
export function generationOf(user: MongoUser, name: string): MongoGeneration | undefined {
  return SUFFIXES.find((suffix) => mongoUserName(user, suffix) === name);
}
