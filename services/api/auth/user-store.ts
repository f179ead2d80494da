import { type Connection, type Model, Schema } from 'mongoose';
import { LruMap } from 'toad-cache';

export const PERMISSIONS = ['guias.create', 'guias.read', 'guias.read.all', 'colas.admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** An API user. `originBranch`: where this user's guides start (specification, "What the service does"). */
export type ApiUser = {
  username: string;
  passwordHash: string;
  permissions: Permission[];
  originBranch: string | null;
  disabled: boolean;
};
type UserDocument = Omit<ApiUser, 'username'> & { _id: string };

/** A change of a user is in force everywhere within 10 s (contract, "Authentication"); half of it is margin. In ms. */
const CACHE_TTL = 5_000;
const CACHE_SIZE = 10_000;

/** API users in MongoDB, by name. */
export class UserStore {
  readonly #users: Model<UserDocument>;
  readonly #recent = new LruMap<Promise<ApiUser | undefined>>(CACHE_SIZE, CACHE_TTL);

  constructor(connection: Connection) {
    this.#users = connection.model<UserDocument>(
      'ApiUser',
      new Schema<UserDocument>(
        {
          _id: String,
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

  /** The user as stored now. */
  async find(username: string): Promise<ApiUser | undefined> {
    const document = await this.#users.findById(username).lean();
    if (!document) return undefined;
    const { _id, ...user } = document;
    return { username: _id, ...user };
  }

  /** The user as stored at most five seconds ago; for the check that every request makes. */
  async findRecent(username: string): Promise<ApiUser | undefined> {
    const known = this.#recent.get(username);
    if (known) return known;
    const user = this.find(username);
    this.#recent.set(username, user);
    // A failed look-up must not be remembered as an answer.
    user.catch(() => this.#recent.delete(username));
    return user;
  }

  /** Whether there is any user at all. */
  async any(): Promise<boolean> {
    return (await this.#users.exists({})) !== null;
  }

  /** Creates the user, or replaces the one of this name. */
  async save({ username, ...user }: ApiUser): Promise<void> {
    await this.#users.replaceOne({ _id: username }, { _id: username, ...user }, { upsert: true });
  }
}
