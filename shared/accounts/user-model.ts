import {
  type DocumentIn,
  defineCollection,
  FLAG,
  KEYWORD,
  listOf,
  MOMENT,
  NUMBER,
  optional,
  part,
  typed,
} from '#shared/stores/collection.ts';

export const USERS = defineCollection(
  'users',
  {
    _id: KEYWORD,
    /** The users of an account, which is one customer, see each other's guides and share its limits. */
    account: KEYWORD,
    passwordHash: KEYWORD,
    permissions: listOf(KEYWORD),
    /** The branch at which the user's guides start (docs/contract.md "Guides"). */
    originBranch: typed<string | null, never>({ type: String }),
    disabled: FLAG,
    /** A user of the demo data, whose password everybody knows. */
    demo: optional(FLAG),
    /**
     * Until when the password may be exchanged for one of the user's own, by the database's clock. Only a one-time
     * password has it, and logs nobody in.
     */
    oneTimeUntil: optional(MOMENT),
    /** The password before, as long as both are valid, by the database's clock. Shares its salt with `passwordHash`. */
    previousPassword: optional(part({ hash: KEYWORD, until: MOMENT })),
    /** Whether the account is for rehearsals (docs/contract.md "Rehearsal"). All its users have the same value. */
    test: optional(FLAG),
    /**
     * The cell whose canary the account is (docs/contract.md "Canary"); absent for customers. All its users have the same value. Such
     * an account is a test account too.
     */
    canaryOf: optional(KEYWORD),
    /**
     * Only tokens and sessions of this generation are accepted. Absent until a user's tokens are ended. It is not a time,
     * because `iat` has whole seconds and clocks differ. A user's first generation differs from the generations of a
     * removed user of the same name.
     */
    tokenGeneration: optional(NUMBER),
    /** Ids of logged-out tokens of this generation, until they expire. */
    revokedTokens: optional(listOf(part({ jti: KEYWORD, until: MOMENT }))),
  },
  {
    id: 'User name',
    holds:
      'Account, password hash, for a day the one before, permissions, origin branch, generation of tokens, ended tokens',
    life: 'Until `admin remove`',
    testAccounts: { stay: 'A user is removed by `admin remove`' },
    rights: {
      // The api stores new passwords, better hashes and logouts.
      api: ['find', 'update'],
      dashboard: ['find'],
      admin: ['find', 'insert', 'update', 'remove'],
      demo: ['find', 'insert', 'update'],
    },
  },
);
export type UserDocument = DocumentIn<typeof USERS>;
