import type { Connection } from 'mongoose';
import { type ApiUser, RECENT } from '#shared/accounts/user-store.ts';
import { DomainError, type ErrorCode } from '#shared/errors/domain-error.ts';
import {
  type DocumentIn,
  defineCollection,
  modelOf,
  NUMBER,
  oneOf,
  optional,
  type StoredModel,
  TEXT,
} from '#shared/stores/collection.ts';
import { StaleIfErrorCache } from '#shared/stores/stale-if-error-cache.ts';
import type { Bearer } from './bearer.ts';
import type { TokenClaims } from './tokens-plugin.ts';

/** Values of `unquotedGuides`. */
export const UNQUOTED_GUIDES = ['price', 'refuse'] as const;

/** Settings of an account; for an absent limit that of the configuration applies. */
export const ACCOUNTS = defineCollection(
  'accounts',
  {
    _id: TEXT,
    /** Requests a second, in the long run. */
    requestsPerSecond: optional(NUMBER),
    /** Requests at once, after a pause. */
    requestsBurst: optional(NUMBER),
    /** Guides created in a day of the service's time zone. */
    guidesPerDay: optional(NUMBER),
    /** Label pages in flight at a time. */
    labelPages: optional(NUMBER),
    /** What becomes of guides without a quote: priced at creation, or refused. If absent, they answer 0 and are billed by the tariff. */
    unquotedGuides: optional(oneOf(UNQUOTED_GUIDES)),
  },
  {
    id: 'Account name',
    holds: 'Limits that differ from those of the settings, and what becomes of guides without a quote',
    life: "Until `admin limits` takes them back, or the account's last user is removed",
    rights: { api: ['find'], admin: ['find', 'insert', 'update', 'remove'] },
  },
);
type AccountDocument = DocumentIn<typeof ACCOUNTS>;
/** What the users of one account may use together (docs/contract.md "Limits"). */
export type AccountLimits = Required<Omit<AccountDocument, '_id' | 'unquotedGuides'>>;
export type AccountSettings = AccountLimits & Pick<AccountDocument, 'unquotedGuides'>;
export type LimitState = {
  /** The limit's name on the wire: requests, guides of the day, label pages in flight. */
  policy: 'solicitudes' | 'guias' | 'etiquetas';
  max: number;
  /** Time in which an unused limit comes back whole, in seconds; absent where it bounds what is in flight. */
  windowS?: number;
  remaining: number;
  /** Time until the limit is whole again, in seconds; absent where only the account's own work decides. */
  resetS?: number;
};

/** An account has reached a limit; the answer has its headers and `Retry-After`. */
export class LimitReached extends DomainError {
  readonly state: LimitState;

  constructor(code: ErrorCode, state: LimitState, seconds: number | undefined) {
    super(code, { params: { seconds } });
    this.state = state;
  }
}

/**
 * The authenticated user of a request, with what the credential leaves of the permissions.
 * `token`: absent if the request came by an API key.
 * `expiresAt`: absent if the credential has no end.
 */
export type Caller = ApiUser & Omit<Bearer, 'user'> & { settings: AccountSettings; token?: TokenClaims };

const CACHE_MAX_ACCOUNTS = 20_000;

export class AccountLimitsStore {
  readonly #accounts: StoredModel<AccountDocument>;

  constructor(connection: Connection) {
    this.#accounts = modelOf(connection, ACCOUNTS);
  }

  /** Returns the account's own settings, without those of the configuration. */
  async find(account: string): Promise<Partial<AccountSettings>> {
    const own = await this.#accounts.findOne({ _id: account }, { _id: 0 }).lean();
    return own ?? {};
  }

  /** Returns the own limits of those of these accounts that have any. */
  async findAll(accounts: readonly string[]): Promise<Map<string, Partial<AccountLimits>>> {
    const found = await this.#accounts
      .find({ _id: { $in: [...accounts] } })
      .sort({ _id: 1 })
      .lean();
    const limits = found.map(({ _id, unquotedGuides, ...limits }) => [_id, limits] as const);
    return new Map(limits.filter(([, limits]) => Object.keys(limits).length > 0));
  }

  async set(account: string, change: Partial<AccountSettings>): Promise<void> {
    await this.#accounts.updateOne({ _id: account }, { $set: change }, { upsert: true });
  }

  /** Takes some of the account's own settings back. */
  async unset(account: string, names: readonly (keyof AccountSettings)[]): Promise<void> {
    const $unset = Object.fromEntries(names.map((name) => [name, 1]));
    await this.#accounts.updateOne({ _id: account }, { $unset });
  }

  async remove(account: string): Promise<void> {
    await this.#accounts.deleteOne({ _id: account });
  }
}

/** Returns a function that returns an account's settings, at most five seconds old while MongoDB answers. */
export function recentSettings(
  store: AccountLimitsStore,
  defaults: AccountLimits,
): (account: string) => Promise<AccountSettings> {
  const recent = new StaleIfErrorCache<AccountSettings>({
    ...RECENT,
    what: "Reading an account's limits",
    max: CACHE_MAX_ACCOUNTS,
    read: async (account) => ({ ...defaults, ...(await store.find(account)) }),
  });
  return (account) => recent.get(account);
}
