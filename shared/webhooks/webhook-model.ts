import { FEED_TYPE_NAMES } from '#shared/guides/event-types.ts';
import {
  body,
  type DocumentIn,
  defineCollection,
  FLAG,
  KEYWORD,
  listOf,
  MOMENT,
  NUMBER,
  oneOf,
  optional,
  part,
  TEXT,
  USERNAME,
} from '../stores/collection.ts';
import type { LogEntry } from '../tracking/event-model.ts';

/** When the last message failed, and why, in words for the account. */
const FAILURE = optional(part({ at: MOMENT, reason: KEYWORD }));

/**
 * A message of a topic that was not taken: how often, when last, when it is tried next, and when it was told. Until it is taken
 * or skipped, no other message of its topic is sent.
 */
export type NewsTries = { failures: number; failedAt: Date; dueAt: Date; waitingSince: Date };

/**
 * A webhook: where to send the events of its account, and how far they are sent. Of deliveries, only the last tries are
 * stored. Every moment is of the database's clock. Stored fields are never renamed: `through` is the end of a batch, and
 * `off` says when and why a webhook was disabled.
 */
export const WEBHOOKS = defineCollection(
  'webhooks',
  {
    /**
     * The account, a blank, and a number from 1 to `MAX_WEBHOOKS`. So the account never has more, even if several are
     * created at once. With another unique index, DocumentDB waits a second if two inserts meet.
     */
    _id: KEYWORD,
    /** The id that the account sees. It is never used again. */
    id: KEYWORD,
    account: KEYWORD,
    url: TEXT,
    description: TEXT,
    /** Types of the events that are sent, in the order of `FEED_TYPE_NAMES`; absent for all. Empty: the account wants no events. */
    types: optional(listOf(oneOf(FEED_TYPE_NAMES))),
    /** Topics beside events that are sent; absent for none. A process of 1.9 does not know them, and sends none. */
    topics: optional(listOf(KEYWORD)),
    /** Of each topic, the number of the last entry that was delivered. */
    news: optional(body<Record<string, number>>()),
    /** Of each topic whose message was not taken, its tries; absent if there is none. It holds up neither events nor other topics. */
    newsTries: optional(body<Record<string, NewsTries>>()),
    createdAt: MOMENT,
    /**
     * Who chose `url`: who registered the webhook, or who changed `url` last. `key` is how the API key of that request begins,
     * absent for a token. Absent as a whole if a process before 1.8.1 stored the webhook. Such a process also changes `url` alone:
     * `setBy` speaks of its own `url`, and says nothing of another (`setByOf`).
     */
    setBy: optional(part({ username: USERNAME, key: optional(KEYWORD), url: KEYWORD })),
    /** Set if the webhook is of a test account, whose failures harm no customer. */
    test: optional(FLAG),
    /** The cell whose canary registered the webhook; absent for others. Only senders of that cell send to it. */
    canaryOf: optional(KEYWORD),
    /** Number of the last event that was delivered. */
    cursor: NUMBER,
    /** How often its account has changed what comes next: the cursor or the types; absent if never. */
    replays: optional(NUMBER),
    /** Last event of the current message. Every try of a message has the same events. */
    through: optional(NUMBER),
    /** When the first event of that message was registered, or the first message of a topic that waits was told. */
    waitingSince: optional(MOMENT),
    active: FLAG,
    off: FAILURE,
    /** When a sender looks at the webhook next. During a lease, it is the lease's end, or earlier if it was woken. */
    dueAt: MOMENT,
    /** Only the holder of the lease sends messages until `leaseUntil`, and only the holder may end the lease early. */
    lease: optional(KEYWORD),
    leaseUntil: MOMENT,
    /** Failed tries of the current message of events. Meanwhile topics wait too. */
    failures: NUMBER,
    /** When the first message failed after the last one that was taken, of whatever topic. */
    failingSince: optional(MOMENT),
    lastSuccess: optional(MOMENT),
    lastFailure: FAILURE,
    /** The last tries, the newest first. A `reason` says why the message was not taken. */
    attempts: optional(
      listOf(part({ at: MOMENT, ms: NUMBER, status: optional(NUMBER), reason: optional(KEYWORD) })),
    ),
  },
  {
    id: 'Account and a number from 1 to 5',
    holds: 'A webhook of an account: address, who chose it, and the number of the last event that was taken',
    life: 'Until its account or `admin webhooks end` removes it',
    people: { url: 'nobody: an address of a server', description: 'nobody: it says what the webhook is for' },
    testAccounts: { stay: 'A setting of the account, which the account removes' },
    rights: {
      api: ['find', 'insert', 'update', 'remove', 'createIndex'],
      dashboard: ['find'],
      webhooks: ['find', 'update'],
      // `npm run admin -- webhooks` shows and ends them, and `remove` takes the user's name out. Neither reads secrets.
      admin: ['find', 'update', 'remove'],
    },
    // By the second one the dashboard looks every two seconds for receivers that fail.
    indexes: [[{ active: 1, dueAt: 1 }], [{ active: 1, failingSince: 1 }]],
  },
);
export type Webhook = DocumentIn<typeof WEBHOOKS>;
/** Who chose a webhook's address. */
export type SetBy = Omit<NonNullable<Webhook['setBy']>, 'url'>;
/** One try of a message. `ms`: until the status of the answer. */
export type Attempt = NonNullable<Webhook['attempts']>[number];

/** Returns who chose a webhook's address; undefined if nobody knows. */
export function setByOf({ url, setBy }: Pick<Webhook, 'url' | 'setBy'>): SetBy | undefined {
  return setBy?.url === url ? setBy : undefined;
}

/** Returns when a message that was not taken is tried next; undefined if there is none, or the webhook is off. */
export function nextTryOf({
  active,
  failures,
  dueAt,
  newsTries = {},
}: Pick<Webhook, 'active' | 'failures' | 'dueAt' | 'newsTries'>): Date | undefined {
  if (!active) return undefined;
  return failures > 0 ? dueAt : earliest(Object.values(newsTries).map((tries) => tries.dueAt));
}

/** Returns the topic whose message failed last; undefined if none has failed. */
export function failedTopic({ newsTries = {} }: Pick<Webhook, 'newsTries'>): string | undefined {
  const tries = Object.entries(newsTries);
  const last = Math.max(...tries.map(([, { failedAt }]) => failedAt.getTime()));
  return tries.find(([, { failedAt }]) => failedAt.getTime() === last)?.[0];
}

export function earliest(moments: readonly Date[]): Date | undefined {
  return moments.toSorted((one, other) => one.getTime() - other.getTime())[0];
}

/** Returns the entries that a webhook's messages have. */
export function sentBy({ types }: Pick<Webhook, 'types'>, entries: readonly LogEntry[]): LogEntry[] {
  return entries.filter(({ told }) => !types || types.includes(told.Tipo));
}

/** A separate collection, so that a user who may read webhooks cannot forge messages. */
export const WEBHOOK_SECRETS = defineCollection(
  'webhookSecrets',
  {
    /** The webhook's `id`. */
    _id: KEYWORD,
    /**
     * The newest first. An older secret signs until `until`. `value` is in clear text. `encrypted` takes its place, by the
     * key with the id `key`.
     */
    secrets: listOf(
      part({
        value: optional(KEYWORD),
        encrypted: optional(KEYWORD),
        key: optional(KEYWORD),
        until: optional(MOMENT),
      }),
    ),
  },
  {
    id: 'Id of a webhook',
    holds: 'What signs its messages, encrypted with `WEBHOOK_SECRETS_KEY`',
    life: 'As long as the webhook',
    testAccounts: { stay: 'They go with the webhook' },
    rights: { api: ['find', 'insert', 'update', 'remove'], webhooks: ['find'], admin: ['remove'] },
  },
);
export type SecretsDocument = DocumentIn<typeof WEBHOOK_SECRETS>;
