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

/** When the last message failed, and why, in words for the account. */
const FAILURE = optional(part({ at: MOMENT, reason: TEXT }));

/**
 * A webhook: where to send the events of its account, and how far they are sent. Nothing is stored for a delivery.
 * Every moment is of the database's clock. Stored fields are never renamed. `through` is the end of a batch. `off` is when
 * and why a webhook was disabled.
 */
export const WEBHOOKS = defineCollection(
  'webhooks',
  {
    /**
     * The account, a blank, and a number from 1 to `MAX_WEBHOOKS`. So the account never has more, even if several are
     * created at once. With another unique index, DocumentDB waits a second if two inserts meet.
     */
    _id: TEXT,
    /** The id that the account sees. It is never used again. */
    id: TEXT,
    account: TEXT,
    url: TEXT,
    description: TEXT,
    createdAt: MOMENT,
    /** Set if the webhook is of a test account, whose failures harm no customer. */
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
    /** When a sender looks at the webhook next. During a lease, it is the lease's end, or earlier if it was woken. */
    dueAt: MOMENT,
    /** Only the holder of the lease sends messages until `leaseUntil`, and only the holder may end the lease early. */
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

/** A separate collection, so that a user who may read webhooks cannot forge messages. */
export const WEBHOOK_SECRETS = defineCollection(
  'webhookSecrets',
  {
    /** The webhook's `id`. */
    _id: TEXT,
    /** The newest first. An older secret signs until `until`. */
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
