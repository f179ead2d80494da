import {
  type DocumentIn,
  defineCollection,
  FLAG,
  listOf,
  MOMENT,
  NUMBER,
  optional,
  part,
  TEXT,
} from './collection.ts';

/** Why the last message failed, in words for the account, and when. */
const FAILURE = optional(part({ at: MOMENT, reason: TEXT }));

/**
 * A webhook: where to send the events of its account, and how far they are sent. Nothing is stored for a delivery.
 * Every moment is of the database's clock. Stored fields are never renamed: `through` is the end of a batch, `off`
 * when and why a webhook was disabled.
 */
export const WEBHOOKS = defineCollection(
  'webhooks',
  {
    /**
     * The account, a blank, and a number from 1 to `MAX_WEBHOOKS`: so the account never has more, even if several are
     * created at once. With a unique index beside the `_id`, DocumentDB waits a second if two inserts meet.
     */
    _id: TEXT,
    /** As its account names it. It is never used again. */
    id: TEXT,
    account: TEXT,
    url: TEXT,
    description: TEXT,
    createdAt: MOMENT,
    /** Of a test account, whose failures are no customer's. */
    test: optional(FLAG),
    /** Number of the last event that was delivered. */
    cursor: NUMBER,
    /** How often its account has moved the cursor; absent if never. */
    replays: optional(NUMBER),
    /** Last event of the current message. Every try of a message has the same events. */
    through: optional(NUMBER),
    /** When the first event of that message was registered. */
    waitingSince: optional(MOMENT),
    active: FLAG,
    off: FAILURE,
    /** When a sender looks at it next. While it is held: the lease's end, or earlier if it was woken. */
    dueAt: MOMENT,
    /** Its holder alone sends its messages until `leaseUntil`, and alone may end the lease early. */
    lease: optional(TEXT),
    leaseUntil: MOMENT,
    /** Failed tries of the current message. */
    failures: NUMBER,
    failingSince: optional(MOMENT),
    lastSuccess: optional(MOMENT),
    lastFailure: FAILURE,
  },
  {
    id: 'Account and a number from 1 to 5',
    holds: 'A webhook of an account: address, and the number of the last event that was taken',
    life: 'Until its account removes it',
    rights: {
      api: ['find', 'insert', 'update', 'remove', 'createIndex'],
      dashboard: ['find'],
      webhooks: ['find', 'update'],
      // `npm run admin -- webhooks` shows failures and delays. It needs no secrets.
      admin: ['find'],
    },
    indexes: [[{ active: 1, dueAt: 1 }]],
  },
);
export type Webhook = DocumentIn<typeof WEBHOOKS>;

/** Separate, because a user who may read webhooks need not be able to forge messages. */
export const WEBHOOK_SECRETS = defineCollection(
  'webhookSecrets',
  {
    /** The webhook's `id`. */
    _id: TEXT,
    /** The newest first. An older one signs until `until`. */
    secrets: listOf(part({ value: TEXT, until: optional(MOMENT) })),
  },
  {
    id: 'Id of a webhook',
    holds: 'What signs its messages',
    life: 'As long as the webhook',
    rights: { api: ['find', 'insert', 'update', 'remove'], webhooks: ['find'] },
  },
);
export type SecretsDocument = DocumentIn<typeof WEBHOOK_SECRETS>;
