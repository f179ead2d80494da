import { type Connection, type Model, Schema, type UpdateQuery } from 'mongoose';
import { RecentAnswers } from '#shared/async/recent-answers.ts';

export const PERMISSIONS = ['guias.create', 'guias.read', 'guias.read.all', 'colas.admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** An API user. `originBranch`: where this user's guides start (docs/contract.md "Guides"). */
export type ApiUser = {
  username: string;
  /** The customer that the user belongs to: its users see each other's guides and share its limits. */
  account: string;
  passwordHash: string;
  permissions: Permission[];
  originBranch: string | null;
  disabled: boolean;
};
/** A user of before release 1.2 has no account. */
type UserDocument = Omit<ApiUser, 'username' | 'account'> & { _id: string; account?: string };

/**
 * How long a process caches a user, in ms. A change must be in force everywhere within 10 s
 * (docs/contract.md "Authentication"); half of that is margin.
 */
const CACHE_TTL_MS = 5_000;
const CACHE_MAX_USERS = 10_000;

/** API users in MongoDB; the name is the `_id`. */
export class UserStore {
  readonly #users: Model<UserDocument>;
  readonly #recent = new RecentAnswers(CACHE_TTL_MS, CACHE_MAX_USERS, (name) => this.find(name));

  constructor(connection: Connection) {
    this.#users = connection.model<UserDocument>(
      'ApiUser',
      new Schema<UserDocument>(
        {
          _id: String,
          account: String,
          passwordHash: { type: String, required: true },
          permissions: [{ type: String, enum: PERMISSIONS }],
          originBranch: { type: String, default: null },
          disabled: { type: Boolean, default: false },
        },
        { versionKey: false },
      ),
      'users',
    );
  }

  /** Returns the user as stored now. */
  async find(username: string): Promise<ApiUser | undefined> {
    const document = await this.#users.findById(username).lean();
    return document ? asUser(document) : undefined;
  }

  /** Returns the user as stored at most five seconds ago, for the check that every request makes. */
  findRecent(username: string): Promise<ApiUser | undefined> {
    return this.#recent.get(username);
  }

  /** Returns whether there is any user at all. */
  async any(): Promise<boolean> {
    return (await this.#users.exists({})) !== null;
  }

  /** Returns all users ordered by name, without their password hashes. */
  async list(): Promise<Omit<ApiUser, 'passwordHash'>[]> {
    const documents = await this.#users.find({}, { passwordHash: 0 }).sort({ _id: 1 }).lean();
    return documents.map(asUser);
  }

  /**
   * Creates a user.
   *
   * @returns false where a user of this name exists already, who stays unchanged.
   */
  async create({ username, ...user }: ApiUser): Promise<boolean> {
    const { upsertedCount } = await this.#users.updateOne(
      { _id: username },
      { $setOnInsert: user },
      { upsert: true },
    );
    return upsertedCount === 1;
  }

  // Each change is one update in the database, so that of two changes at the same time neither is lost. Each returns
  // the user as it is afterwards, or undefined for an unknown one.

  set(
    username: string,
    change: Partial<Pick<ApiUser, 'account' | 'passwordHash' | 'originBranch' | 'disabled'>>,
  ): Promise<ApiUser | undefined> {
    return this.#update(username, { $set: change });
  }

  grant(username: string, permissions: Permission[]): Promise<ApiUser | undefined> {
    return this.#update(username, { $addToSet: { permissions: { $each: permissions } } });
  }

  revoke(username: string, permissions: Permission[]): Promise<ApiUser | undefined> {
    return this.#update(username, { $pullAll: { permissions } });
  }

  async #update(username: string, update: UpdateQuery<UserDocument>): Promise<ApiUser | undefined> {
    const document = await this.#users
      .findOneAndUpdate({ _id: username }, update, { returnDocument: 'after' })
      .lean();
    return document ? asUser(document) : undefined;
  }
}

/** A user without an account has one of the user's own name. */
function asUser<User extends { _id: string; account?: string }>({ _id, ...user }: User) {
  return { ...user, username: _id, account: user.account ?? _id };
}
