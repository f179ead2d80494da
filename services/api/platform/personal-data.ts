import type { Connection } from 'mongoose';
import { type Collection, modelOf, pathsOfUser } from '#shared/stores/collection.ts';

/**
 * What a room stores of people: of API users and their accounts, and of senders and recipients. Retention, the erasure and
 * export of a person's data, and the commands that change users ask every room.
 */
export type PersonalData = {
  /** What, where, and for how long: a row of docs/security.md, in Markdown. */
  keeps: string;
  users: OfUsers | 'none';
  accounts: OfAccounts | 'none';
  /** What names senders and recipients beside the guides, over which `privacy` itself walks. */
  besideGuides: PersonalRecords | 'none';
  /** Texts about an account, which may name anybody. */
  accountTexts: AccountTexts | 'none';
};

/** Why a room with such data does nothing with them. */
type Reason = `none: ${string} ${string}`;

/** What is done with the data of a user. Each function may be repeated after an interruption. */
type OfUsers = {
  /**
   * Moves it to another account.
   * @param onGuides is called with the number of guides of each step.
   */
  moveToAccount:
    | Reason
    | ((
        mongo: Connection,
        username: string,
        account: string,
        onGuides: (guides: number) => void,
      ) => Promise<void>);
  /**
   * Puts `REMOVED_USER` in place of the user's name.
   * @param onGuides is called with the number of guides of each step.
   */
  forgetUser:
    | Reason
    | ((mongo: Connection, username: string, onGuides: (guides: number) => void) => Promise<void>);
  /** Ends what the user, other than by a password or a token, gets in by. */
  endAccess: 'none' | ((mongo: Connection, username: string) => Promise<void>);
  /**
   * Returns what goes on without the user, such as a webhook that the user has set up: lines for an operator, each after a
   * line break. Empty if nothing goes on.
   */
  describeRemaining: 'none' | ((mongo: Connection, whose: Ended) => Promise<string>);
};

/** What is done with the data of an account that has no users any more, or whose last one leaves. */
type OfAccounts = {
  /** Returns whether the account was for rehearsals, by what is stored of it; undefined if nothing is. */
  isOfTests: 'none' | ((mongo: Connection, account: string) => Promise<boolean | undefined>);
  /** Returns what the next user gets of it, in a few words; empty if nothing is stored. */
  describeInherited: 'none' | ((mongo: Connection, account: string) => Promise<string>);
  /** Returns why an account may not be closed yet, such as money that it is owed; empty if nothing speaks against it. */
  refuseClosing: 'none' | ((mongo: Connection, account: string) => Promise<string>);
  /**
   * Ends what the account needs no more. The last user's data have not moved to another account yet: it ends nothing that
   * `moveToAccount` moves. May be repeated after an interruption.
   * @returns what an operator should know of it, in lines.
   */
  closeAccount: Reason | ((mongo: Connection, account: string) => Promise<string>);
};

/** Returns what each room that does so does for users. */
export function forUsers<Name extends keyof OfUsers>(rooms: readonly PersonalData[], name: Name) {
  return rooms.flatMap(({ users }) => (users === 'none' ? [] : unlessNone(users[name])));
}

/** Returns what each room that does so does for accounts without users. */
export function forAccounts<Name extends keyof OfAccounts>(rooms: readonly PersonalData[], name: Name) {
  return rooms.flatMap(({ accounts }) => (accounts === 'none' ? [] : unlessNone(accounts[name])));
}

function unlessNone<T>(value: T): Exclude<T, 'none' | Reason>[] {
  const isNone = typeof value === 'string' && value.startsWith('none');
  return isNone ? [] : [value as Exclude<T, 'none' | Reason>];
}

/** Whose access is over. */
export type Ended = {
  username: string;
  /** That in which the user had access. */
  account: string | undefined;
  /** The public beginning of the only API key that is over (`Inicio`), such as gk_live_Xy3k; absent if the user's whole access is. */
  keyStart?: string;
};

/** Loads what all rooms store of people. A command that needs none of it starts without the api. */
export type LoadPersonalData = () => Promise<readonly PersonalData[]>;

/** A kind of records that name senders and recipients of guides, or may do so. */
export type PersonalRecords = {
  /** The field of an export that lists them, and the part of the person whom a record names. */
  field: string;
  part: string;
  /** Returns those of these guides, by guide and age. */
  ofGuides(mongo: Connection, guides: readonly string[]): Promise<PersonalRecord[]>;
  anonymise(mongo: Connection, ids: readonly string[]): Promise<void>;
  /** Anonymises those of guides created before a moment. @returns how many; fewer than `limit` if none is left. */
  anonymiseOlder(mongo: Connection, before: Date, limit: number): Promise<number>;
};

export type PersonalRecord = {
  id: string;
  guide: string;
  /** Those of the persons whom the record names. */
  names: readonly string[];
  /** Returns what an export shows of it: to the person of these names, or to a side of its guide if there are none. */
  shownTo(names: readonly string[]): object;
};

/** A kind of texts about an account. They may name anybody, so a person is searched for in the texts themselves. */
export type AccountTexts = {
  /** The field of an export that lists them. */
  field: string;
  /** Returns all. `shown` is what an export shows of one. */
  all(mongo: Connection): AsyncIterable<{ id: string; text: string; shown: object }>;
  /** Puts `ANONYMOUS` in place of the texts, or removes them. */
  anonymise(mongo: Connection, ids: readonly string[]): Promise<void>;
  /** Anonymises those written before a moment. @returns how many; fewer than `limit` if none is left. */
  anonymiseOlder(mongo: Connection, before: Date, limit: number): Promise<number>;
};

/** What rooms store that names senders and recipients, beside the guides. */
export type PersonalTexts = { besideGuides: readonly PersonalRecords[]; ofAccounts: readonly AccountTexts[] };

/** Returns what a user has set up that goes on without the user, in lines for an operator. */
export async function whatGoesOn(
  personalData: readonly PersonalData[],
  mongo: Connection,
  whose: Ended,
): Promise<string> {
  const lines: string[] = [];
  for (const describe of forUsers(personalData, 'describeRemaining'))
    lines.push(await describe(mongo, whose));
  return lines.join('');
}

/** Returns what rooms store that names senders and recipients. */
export function personalTexts(personalData: readonly PersonalData[]): PersonalTexts {
  return {
    besideGuides: personalData.flatMap(({ besideGuides: kind }) => unlessNone(kind)),
    ofAccounts: personalData.flatMap(({ accountTexts: kind }) => unlessNone(kind)),
  };
}

/** Replaces a removed user's name. No user name has a blank. */
const REMOVED_USER = 'usuario eliminado';

/** Replaces a user's name in each `USERNAME` of a collection. @param among selects documents. */
export async function replaceUser(
  mongo: Connection,
  collection: Collection,
  username: string,
  among: object = {},
): Promise<void> {
  for (const path of pathsOfUser(collection)) {
    const named = { ...among, [path]: username };
    await modelOf(mongo, collection).updateMany(named, { $set: { [path]: REMOVED_USER } });
  }
}

/**
 * Anonymises the documents that have named persons for longest: those whose `personal` is before a moment.
 *
 * @param anonymise takes their ids, and the field `personal` from them.
 * @returns how many; fewer than `limit` if none is left.
 */
export async function anonymiseOldest(
  mongo: Connection,
  collection: Collection<{ _id: string; personal?: Date }>,
  { before, limit }: { before: Date; limit: number },
  anonymise: PersonalRecords['anonymise'],
): Promise<number> {
  const found = await modelOf(mongo, collection)
    .find({ personal: { $lt: before } })
    .select<{ _id: string }>({ _id: 1 })
    .sort({ personal: 1 })
    .limit(limit)
    .lean();
  await anonymise(
    mongo,
    found.map(({ _id }) => _id),
  );
  return found.length;
}
