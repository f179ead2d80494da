import { PICKUP_STATES, type PickupAddress } from '#shared/pickups/pickup.ts';
import {
  body,
  type DocumentIn,
  defineCollection,
  EXPIRY,
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
} from '#shared/stores/collection.ts';

/** What a request asks for that others may not have too. All of it stands in the one document, whose insert is the commit. */
const exists = (field: string) => ({ unique: true, partialFilterExpression: { [field]: { $exists: true } } });

export const PICKUPS = defineCollection(
  'pickups',
  {
    /** The pick-up's number. */
    _id: KEYWORD,
    /** Id of the request that made it. It differs from that of another pick-up with the same number. */
    creation: KEYWORD,
    /** API user who asked for it. */
    username: USERNAME,
    /** API user who changed it last; absent if nobody has, or the service itself did. */
    changedBy: optional(USERNAME),
    account: KEYWORD,
    /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
    createdAt: KEYWORD,
    createdUtc: MOMENT,
    branch: part({ code: KEYWORD, name: KEYWORD }),
    /** Day and times of the branch's zone, and the moments that these are. */
    window: part({
      ...{ date: KEYWORD, from: KEYWORD, to: KEYWORD, zone: KEYWORD },
      ...{ closesAt: MOMENT, startsAt: MOMENT, endsAt: MOMENT },
    }),
    /** Whether it is scheduled by itself at the cut-off. */
    automatic: FLAG,
    address: body<PickupAddress>(),
    notes: optional(TEXT),
    packages: NUMBER,
    /** In kg. */
    weight: optional(NUMBER),
    /** The guides that are named, or those of the manifest that waited. */
    guides: optional(listOf(KEYWORD)),
    manifest: optional(KEYWORD),
    status: oneOf(PICKUP_STATES),
    reason: optional(KEYWORD),
    /** What has happened, the oldest first: how it changed, when that occurred, and when it was registered. */
    history: listOf(
      part({ status: oneOf(PICKUP_STATES), reason: optional(KEYWORD), occurred: MOMENT, at: MOMENT }),
    ),
    /** How often it was changed: a change is a compare-and-set on it. */
    version: NUMBER,
    /** Number in the log of the account up to which events of its guides have been looked at; absent if none has. */
    seen: optional(NUMBER),
    /** Up to which version its changes were published to webhooks, and since when some are not. */
    told: optional(NUMBER),
    openSince: optional(MOMENT),
    /** While it is open: its account, address and day, as a hash. */
    addressKey: optional(KEYWORD),
    /** While it is open: the numbers of its guides and of its manifest. */
    held: optional(listOf(KEYWORD)),
    /** Unless it is cancelled: its place in a window that has a bound. */
    place: optional(KEYWORD),
    /** The Idempotency-Key of its request. */
    key: optional(part({ id: KEYWORD, bodyHash: KEYWORD })),
    /** While it names persons: when it was asked for. */
    personal: optional(MOMENT),
    /** Of a test account: when MongoDB deletes it. */
    expiresAt: optional(MOMENT),
  },
  {
    id: "Pick-up's number",
    holds: 'A pick-up: where, when, what, and what became of it',
    life: 'For ever; names, address and notes are removed after `RETENTION_DAYS`; of a test account 30 days',
    people: { address: 'person', notes: 'person' },
    testAccounts: 'expire',
    rights: {
      api: ['find', 'insert', 'update', 'createIndex'],
      dashboard: ['find'],
      admin: ['find', 'update'],
    },
    indexes: [
      // Nobody else has the place, the address of the day, or a guide of an open pick-up.
      [{ place: 1 }, exists('place')],
      [{ addressKey: 1 }, exists('addressKey')],
      [{ held: 1 }, exists('held')],
      [{ 'key.id': 1 }, exists('key.id')],
      [{ account: 1, createdAt: -1, _id: -1 }],
      [{ account: 1, status: 1 }],
      [{ 'branch.code': 1, 'window.date': 1, 'window.from': 1, _id: 1 }],
      [{ status: 1, 'window.closesAt': 1, automatic: 1 }],
      [{ openSince: 1 }, { partialFilterExpression: { openSince: { $exists: true } } }],
      [{ personal: 1 }, { partialFilterExpression: { personal: { $exists: true } } }],
      EXPIRY,
    ],
  },
);
export type Pickup = DocumentIn<typeof PICKUPS>;
