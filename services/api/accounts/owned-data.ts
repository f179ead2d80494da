import type { Connection } from 'mongoose';

type Seen = (guides: number) => void;

/**
 * What a room stores of a user or an account, for the commands that change users. `npm run admin` gets them from its rooms
 * (`cli.ts`).
 */
export type OwnedData = {
  /** Returns whether an account without users was for rehearsals, by what is stored of it; undefined if nothing is. */
  isOfTests?(mongo: Connection, account: string): Promise<boolean | undefined>;
  /**
   * Moves what a user made to another account. May be repeated.
   * @param onGuides is called with the number of guides of each step.
   */
  moveToAccount?(mongo: Connection, username: string, account: string, onGuides: Seen): Promise<void>;
  /**
   * Puts `REMOVED_USER` in place of a user's name. May be repeated.
   * @param onGuides is called with the number of guides of each step.
   */
  forgetUser?(mongo: Connection, username: string, onGuides: Seen): Promise<void>;
  /** Returns what an operator should know of an account whose last user is gone. */
  leftOf?(mongo: Connection, account: string): Promise<string>;
};

/** Replaces a removed user's name. No user name has a blank. */
export const REMOVED_USER = 'usuario eliminado';

/** Returns whether an account without users was for rehearsals, as the first room says that knows. */
export async function isOfTests(
  owned: readonly OwnedData[],
  mongo: Connection,
  account: string,
): Promise<boolean | undefined> {
  for (const data of owned) {
    const known = await data.isOfTests?.(mongo, account);
    if (known !== undefined) return known;
  }
  return undefined;
}
