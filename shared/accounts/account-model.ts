import {
  type DocumentIn,
  defineCollection,
  KEYWORD,
  NUMBER,
  oneOf,
  optional,
} from '#shared/stores/collection.ts';

/** Values of `unquotedGuides`. */
export const UNQUOTED_GUIDES = ['price', 'refuse'] as const;

/** Settings of an account; for an absent limit that of the configuration applies. */
export const ACCOUNTS = defineCollection(
  'accounts',
  {
    _id: KEYWORD,
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
    testAccounts: { stay: 'Limits go with the last user' },
    rights: { api: ['find'], admin: ['find', 'insert', 'update', 'remove'] },
  },
);
export type AccountDocument = DocumentIn<typeof ACCOUNTS>;
