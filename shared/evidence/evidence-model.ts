import {
  type DocumentIn,
  defineCollection,
  KEYWORD,
  MOMENT,
  NUMBER,
  oneOf,
  optional,
  USERNAME,
} from '../stores/collection.ts';
import { PICTURE_NAMES } from './evidence.ts';

/**
 * What becomes of a picture:
 * - `storing`: its bytes are being stored. Nobody sees it, and a sweep abandons it once its request must be over.
 * - `kept`: its bytes are stored. Whoever looks sees it once its entry is in the log, which a sweep appends after a crash.
 * - `removed`: retention or an erasure took it. `openSince` stands until a sweep has deleted the bytes.
 * - `abandoned`: nobody has ever seen it. A sweep deletes the bytes, and then the document.
 */
export const PICTURE_STATES = ['storing', 'kept', 'removed', 'abandoned'] as const;

export const EVIDENCE = defineCollection(
  'evidence',
  {
    /** Guide, event and picture, with blanks between them; none of them has one. */
    _id: KEYWORD,
    guide: KEYWORD,
    event: KEYWORD,
    picture: oneOf(PICTURE_NAMES),
    state: oneOf(PICTURE_STATES),
    /** SHA-256 of the picture as it was sent; absent once it is removed. */
    sent: optional(KEYWORD),
    /** Where its bytes are, and under which random keys: the picture, and its small copy for the proof of delivery. */
    store: oneOf(['mongodb', 'bucket']),
    key: KEYWORD,
    printKey: KEYWORD,
    bytes: NUMBER,
    width: NUMBER,
    height: NUMBER,
    username: USERNAME,
    /** When its bytes came, by the database's clock: the moment of its entry in the log. */
    at: MOMENT,
    /** When the guide was created: the retention starts then. Absent once it is removed. */
    personal: optional(MOMENT),
    /** Until its entry is in the log; after a removal, until its bytes are deleted. */
    openSince: optional(MOMENT),
  },
  {
    id: 'Guide, event and picture',
    holds: 'What is known of a signature or photo of an event, and where its bytes are',
    life: 'For ever; the picture is removed after `RETENTION_DAYS`',
    testAccounts: { stay: 'Their guides have sample pictures, which are files of the service' },
    rights: {
      api: ['find', 'insert', 'update', 'remove', 'createIndex'],
      // Export and erasure of a person's data.
      admin: ['find', 'update'],
    },
    indexes: [
      [{ guide: 1 }],
      ...['personal', 'openSince'].map(
        (field) => [{ [field]: 1 }, { partialFilterExpression: { [field]: { $exists: true } } }] as const,
      ),
    ],
  },
);
export type Evidence = DocumentIn<typeof EVIDENCE>;

export const PICTURES = defineCollection(
  'pictures',
  {
    /** Random: nobody can find it by a guide's number. */
    _id: KEYWORD,
    jpeg: { type: Buffer, required: true } as const,
  },
  {
    id: 'Random',
    holds: 'The bytes of a signature or photo, up to 1 MiB, unless `EVIDENCE_BUCKET` is set',
    life: 'As long as its picture in `evidence` is not removed',
    testAccounts: { stay: 'Their guides have sample pictures, which are files of the service' },
    rights: { api: ['find', 'insert', 'update', 'remove'] },
  },
);
export type StoredPicture = DocumentIn<typeof PICTURES>;
