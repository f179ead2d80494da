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

/** Why the last message was not taken, in words for its account, and when. */
const FAILURE = optional(part({ at: MOMENT, reason: TEXT }));

/**
 * A webhook: a position in its account's log of events, and where to send what comes after. Nothing is stored for a
 * delivery. Every moment is of the database's clock.
 */
export const WEBHOOKS = defineCollection(
  'webhooks',
  {
    /**
     * The account, a blank, and a number from 1 to `MAX_WEBHOOKS`. So the account never has more, also if several are
     * created at the same moment. With a unique index beside the `_id`, DocumentDB waits a second if two inserts meet.
     */
    _id: TEXT,
    /** As its account knows it. It is never used again. */
    id: TEXT,
    account: TEXT,
    url: TEXT,
    description: TEXT,
    createdAt: MOMENT,
    /** Sequence number of the last event that was taken. */
    cursor: NUMBER,
    /** How often its account has moved the cursor; absent before the first time. */
    replays: optional(NUMBER),
    /** Last event of the message that is sent now: every try of a message has the same events. */
    through: optional(NUMBER),
    /** When the first event of that message was registered. */
    waitingSince: optional(MOMENT),
    active: FLAG,
    /** When and why it was switched off. */
    off: FAILURE,
    /** When it is looked at next. While it is held: the lease's end, or earlier where somebody woke it meanwhile. */
    dueAt: MOMENT,
    /** Who holds it, until when: nobody else sends its messages. Only its holder ends a lease early. */
    lease: optional(TEXT),
    leaseUntil: MOMENT,
    /** Tries of this message that failed. */
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
      // Whose webhook fails, and how far it is behind; not what signs its messages.
      admin: ['find'],
    },
    indexes: [[{ active: 1, dueAt: 1 }]],
  },
);
export type Webhook = DocumentIn<typeof WEBHOOKS>;

/** In a collection of their own: a user who may read webhooks need not be able to forge messages. */
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
