import type { Connection, UpdateQuery } from 'mongoose';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { insertMissing } from '#shared/stores/insert-each.ts';
import { StaleIfErrorCache } from '#shared/stores/stale-if-error-cache.ts';
import { PERMISSIONS, type Permission } from '../rooms.ts';
import { USERS, type UserDocument } from './user-model.ts';

/** Fields without a default, because few users have them. */
type RareFields = 'oneTimeUntil' | 'previousPassword' | 'canaryOf';
/** An API user. A field that is absent in MongoDB has its default here. */
export type ApiUser = Required<Omit<UserDocument, '_id' | 'permissions' | RareFields>> &
  Pick<UserDocument, RareFields> & { username: string; permissions: Permission[] };
export type RevokedToken = ApiUser['revokedTokens'][number];
/** Whose an account is. The canary's is a test account that nobody else may join. */
export type AccountKind = 'customer' | 'test' | 'canary';
/** The fields that decide which tokens are valid. */
type TokenState = 'tokenGeneration' | 'revokedTokens';
export type NewUser = Omit<ApiUser, 'demo' | 'test' | 'previousPassword' | TokenState> &
  Partial<Pick<ApiUser, 'demo' | 'test' | 'tokenGeneration'>>;
/** A user for operators, who also see permissions of rooms that are not there. */
export type ListedUser = Omit<ApiUser, 'passwordHash' | 'previousPassword' | 'permissions' | TokenState> &
  Pick<UserDocument, 'permissions'>;
/** Selects users. Absent fields do not restrict. */
export type UserFilter = {
  account?: string | undefined;
  permission?: Permission | undefined;
  disabled?: true | undefined;
  /** Users of test accounts alone. Without it, users of canaries are left out, who are no customers. */
  test?: true | undefined;
  /** A part of the name or of the account, in any case. */
  text?: string | undefined;
};

/**
 * How long users and accounts' limits are kept. A change must be in force everywhere within 10 s (docs/contract.md
 * "Authentication"), and half of that is margin. While MongoDB is away, nobody can change users or limits.
 */
export const RECENT = { freshMs: 5_000, keptMs: 30 * 60_000, waitMs: 1_000 };
/** Twice the users of a large carrier, of some 1 KB each. */
const CACHE_MAX_USERS = 20_000;
/** Most logged-out tokens of a user, of some 60 bytes each. The next one ends all tokens of the user. */
const MAX_REVOKED = 1_000;
/** A logged-out token is kept so long after its expiry, because another process's clock may be behind. */
const CLOCKS_DIFFER_MS = 10 * 60_000;
/** Not read for a list: users may have many ended tokens. */
const UNLISTED = { passwordHash: 0, previousPassword: 0, tokenGeneration: 0, revokedTokens: 0 } as const;
/** Selects users of customers and of test accounts, not those of a canary. */
const NO_CANARY = { canaryOf: { $exists: false } };
const END_TOKENS = { $inc: { tokenGeneration: 1 }, $set: { revokedTokens: [] } };

export class UserStore {
  readonly #users: StoredModel<UserDocument>;
  readonly #allowDemo: boolean;
  readonly #clock: DatabaseClock;
  /** Also remembers that a name is unknown. */
  readonly #recent = new StaleIfErrorCache<ApiUser | undefined>({
    ...RECENT,
    what: 'Reading a user',
    max: CACHE_MAX_USERS,
    read: (name) => this.find(name),
  });

  /** @param options.allowDemo whether users of the demo data may log in. */
  constructor(connection: Connection, { allowDemo = false } = {}) {
    this.#allowDemo = allowDemo;
    this.#clock = new DatabaseClock(connection);
    this.#users = modelOf(connection, USERS);
  }

  async find(username: string): Promise<ApiUser | undefined> {
    const document = await this.#users.findOne({ _id: username }).lean();
    return document ? this.#asUser(document) : undefined;
  }

  /**
   * Returns the user for the check of a request, as stored at most five seconds ago, or half an hour ago while MongoDB does
   * not answer.
   * @param generation of the token. If it is later than the cached user's, all tokens have been ended meanwhile, so the
   * user is read again.
   */
  async findRecent(username: string, generation = 0): Promise<ApiUser | undefined> {
    const user = await this.#recent.get(username);
    if (!user || user.tokenGeneration >= generation) return user;
    this.#recent.forget(username);
    return this.#recent.get(username);
  }

  /** Returns the user as `findRecent` read it last, however long ago, without reading; undefined if it did not. */
  lastRead(username: string): ApiUser | undefined {
    return this.#recent.peek(username);
  }

  /** Returns the database's time, which passwords expire by. @param ms is added. @throws as `DatabaseClock` does. */
  now(ms = 0): Promise<Date> {
    return this.#clock.now(ms);
  }

  /** Returns whether there are users. The canary's do not count, which an installation has from its start. */
  async any(): Promise<boolean> {
    return (await this.#users.exists(NO_CANARY)) !== null;
  }

  async hasAccount(account: string): Promise<boolean> {
    return (await this.#users.exists({ account })) !== null;
  }

  /** Returns whether an account has users beside one. */
  async hasOthers(account: string, username: string): Promise<boolean> {
    return (await this.#users.exists({ account, _id: { $ne: username } })) !== null;
  }

  /** Returns the accounts that have users. */
  async accounts(): Promise<Set<string>> {
    return new Set(await this.#users.distinct('account').exec());
  }

  /** Returns the accounts of canaries, of all cells. */
  async canaryAccounts(): Promise<Set<string>> {
    return new Set(await this.#users.distinct('account', { canaryOf: { $exists: true } }).exec());
  }

  /** Returns the kinds of accounts, without the accounts that have no user. */
  async kindsOf(accounts: readonly string[]): Promise<Map<string, AccountKind>> {
    const found = await this.#users
      .find({ account: { $in: [...accounts] } })
      .select<Pick<UserDocument, 'account' | 'test' | 'canaryOf'>>({ account: 1, test: 1, canaryOf: 1 })
      .sort({ _id: 1 })
      .lean();
    return new Map(found.map((user) => [user.account, kindOf(user)]));
  }

  /** Returns the users of these names that exist. */
  async findAll(usernames: readonly string[]): Promise<ListedUser[]> {
    const query = this.#users.find({ _id: { $in: [...usernames] } }, UNLISTED);
    const documents = await query.sort({ _id: 1 }).lean();
    return documents.map((document) => this.#asListed(document));
  }

  /** Returns users by name, one after the other. */
  async *list({ account, permission, disabled, test, text }: UserFilter = {}): AsyncGenerator<ListedUser> {
    const filter = {
      ...(account !== undefined && { account }),
      ...(permission && { permissions: permission }),
      ...(test ? { test } : NO_CANARY),
    };
    const wanted = text?.toLowerCase() ?? '';
    for await (const document of this.#users.find(filter, UNLISTED).sort({ _id: 1 }).lean().cursor()) {
      const user = this.#asListed(document);
      const hasText = [user.username, user.account].some((name) => name.toLowerCase().includes(wanted));
      if (hasText && (user.disabled || !disabled)) yield user;
    }
  }

  /**
   * Adds a user. By default the first generation is the time in ms, because a removed user of the same name may have valid
   * tokens.
   * @returns false if a user of this name exists, who stays unchanged.
   */
  async create({ username, tokenGeneration = Date.now(), ...user }: NewUser): Promise<boolean> {
    const { upsertedCount } = await this.#users.updateOne(
      { _id: username },
      { $setOnInsert: { ...user, tokenGeneration } },
      { upsert: true },
    );
    return upsertedCount === 1;
  }

  /**
   * Adds many users at once, as `create` does.
   * @returns the names that were taken meanwhile. Their users stay unchanged.
   */
  async createAll(users: readonly NewUser[]): Promise<Set<string>> {
    const documents = users.map(({ username, tokenGeneration = Date.now(), ...user }) => ({
      ...user,
      _id: username,
      tokenGeneration,
    }));
    const taken = await insertMissing(this.#users, documents as UserDocument[]);
    return new Set(taken.map((index) => users[index]?.username ?? ''));
  }

  /** Removes a user. Other processes accept the user for five seconds more. */
  async remove(username: string): Promise<void> {
    await this.#users.deleteOne({ _id: username });
  }

  // Each change is one update in the database, so that concurrent changes are not lost. Each returns the changed user,
  // or undefined for an unknown one.

  /**
   * Changes a user. A new password, which is a one-time one only with `oneTimeUntil`, ends all tokens of the user, and so
   * does disabling. Both also end the password before.
   */
  set(
    username: string,
    change: Partial<Pick<ApiUser, 'account' | 'passwordHash' | 'oneTimeUntil' | 'originBranch' | 'disabled'>>,
  ): Promise<ApiUser | undefined> {
    const isOwn = change.passwordHash !== undefined && change.oneTimeUntil === undefined;
    const ends = change.passwordHash !== undefined || change.disabled === true;
    const { $inc, $set } = END_TOKENS;
    const $unset = { previousPassword: 1, ...(isOwn && { oneTimeUntil: 1 }) };
    return this.#update(username, ends ? { $inc, $set: { ...$set, ...change }, $unset } : { $set: change });
  }

  /**
   * Replaces a user's password by one that the user chose. Without `previous` all tokens end.
   * @param from the hash of the present password.
   * @param previous the present password, with its hash and the time until which it stays valid.
   * @returns false if the user has another password meanwhile, is disabled or removed.
   */
  async changePassword(
    username: string,
    from: string,
    passwordHash: string,
    previous?: UserDocument['previousPassword'],
  ): Promise<boolean> {
    const unless = { _id: username, passwordHash: from, disabled: false };
    const { $inc, $set } = END_TOKENS;
    const { matchedCount } = await this.#users.updateOne(
      unless,
      previous
        ? { $set: { passwordHash, previousPassword: previous }, $unset: { oneTimeUntil: 1 } }
        : { $inc, $set: { ...$set, passwordHash }, $unset: { oneTimeUntil: 1, previousPassword: 1 } },
    );
    this.#recent.forget(username);
    return matchedCount === 1;
  }

  endTokens(username: string): Promise<ApiUser | undefined> {
    return this.#update(username, END_TOKENS);
  }

  grant(username: string, permissions: Permission[]): Promise<ApiUser | undefined> {
    return this.#update(username, { $addToSet: { permissions: { $each: permissions } } });
  }

  revoke(username: string, permissions: Permission[]): Promise<ApiUser | undefined> {
    return this.#update(username, { $pullAll: { permissions } });
  }

  /**
   * Replaces a hash, unless the password was changed meanwhile. Ends no token. Also forgets the password before, whose
   * hash has the same salt, so call it only when that password has expired.
   */
  async replaceHash(username: string, passwordHash: string, better: string): Promise<void> {
    const change = { $set: { passwordHash: better }, $unset: { previousPassword: 1 } };
    await this.#users.updateOne({ _id: username, passwordHash }, change);
  }

  /** Ends one token. Ends all tokens of the user if too many ended ones have not expired. */
  async revokeToken(username: string, token: RevokedToken): Promise<void> {
    const expired = { until: { $lte: await this.now(-CLOCKS_DIFFER_MS) } };
    await this.#users.updateOne({ _id: username }, { $pull: { revokedTokens: expired } });
    // The list has a token once, even if it is logged out many times at once.
    const isNew = { _id: username, 'revokedTokens.jti': { $ne: token.jti } };
    const hasRoom = { [`revokedTokens.${MAX_REVOKED - 1}`]: { $exists: false } };
    const { matchedCount } = await this.#users.updateOne(
      { ...isNew, ...hasRoom },
      { $push: { revokedTokens: token } },
    );
    if (matchedCount === 0) await this.#users.updateOne(isNew, END_TOKENS);
    this.#recent.forget(username);
  }

  async #update(username: string, update: UpdateQuery<UserDocument>): Promise<ApiUser | undefined> {
    const document = await this.#users
      .findOneAndUpdate({ _id: username }, update, { returnDocument: 'after' })
      .lean();
    return document ? this.#asUser(document) : undefined;
  }

  #asListed(document: Omit<UserDocument, keyof typeof UNLISTED>): ListedUser {
    const { passwordHash, tokenGeneration, revokedTokens, ...listed } = this.#asUser({
      ...document,
      passwordHash: '',
    });
    return { ...listed, permissions: document.permissions };
  }

  #asUser({ _id, ...user }: UserDocument): ApiUser {
    const { demo = false, test = false, tokenGeneration = 0, revokedTokens = [] } = user;
    const disabled = user.disabled || (demo && !this.#allowDemo);
    const permissions = user.permissions.filter(isPermission);
    return { ...user, username: _id, permissions, demo, test, disabled, tokenGeneration, revokedTokens };
  }
}

/** Returns whether a word is a permission: a user may have those of a room that is not there. */
function isPermission(word: string): word is Permission {
  return PERMISSIONS.some((permission) => permission === word);
}

/** Returns the kind of a user's account. */
export function kindOf({ test, canaryOf }: Pick<UserDocument, 'test' | 'canaryOf'>): AccountKind {
  if (canaryOf !== undefined) return 'canary';
  return test ? 'test' : 'customer';
}
