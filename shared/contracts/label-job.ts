import { createHash } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import { type Static, Type } from 'typebox';
import { GUIDE_NUMBER, Guide, guideAjv, MAX_PACKAGES, ServiceType } from './guide.ts';
import { LABEL_KINDS } from './label-kinds.ts';

/** The contract between the api and the label worker: queue, payload, keys, options. Both ends check the payload. */

export const LABEL_QUEUE = 'labels';

/**
 * Time limit of a label, in ms, from the request until it is printed. The worker's `RECOVERY` and `placeInLine` leave
 * room for another try within this time, and within no shorter one.
 */
export const LABEL_TIMEOUT_MS = 10_000;

/**
 * Age in ms from which on the worker drops a label that nobody waits for. Asking Redis costs more than printing younger
 * ones, whose pages the api counts as in flight.
 */
export const FRESH_MS = 1_000;

/** Version of our templates. Raise it with every change of one, so that the cache serves no old look. */
export const TEMPLATE_VERSION = '13';

/** Largest file of a logo: it travels with every label's job, of which Redis keeps the last thousand. */
export const MAX_LOGO_KIB = 12;
/** Length of the largest logo as `data:` URI: base64 is four characters for three bytes. */
const MAX_LOGO_LENGTH = 'data:image/svg+xml;base64,'.length + 4 * Math.ceil((MAX_LOGO_KIB * 1_024) / 3);

/** The forms of a label, the usual one first, by their names on the wire, which are also the endings of files. */
export const MEDIA_TYPES = { pdf: 'application/pdf', png: 'image/png', zpl: 'application/zpl' } as const;
/** Forms that a label has beside its PDF, and the densities of thermal heads, in dots per inch as the trade says them. */
export const IMAGE_FORMATS = ['png', 'zpl'] as const;
export const DENSITIES = [203, 300] as const;

/** A picture of a label's PDF: a PNG of its one page, or ZPL, which has all its pages. */
export const LabelForm = Type.Object(
  { format: Type.Enum(IMAGE_FORMATS), dpi: Type.Enum(DENSITIES) },
  { additionalProperties: false },
);
export type LabelForm = Static<typeof LabelForm>;

const BranchOnLabel = Type.Object({ code: Type.String(), name: Type.String() });

/**
 * All that a label shows: a label is a pure function of this value. The worker therefore reads no database, and a hash
 * of it is the label's identity (cache key, ETag).
 */
export const LabelPayload = Type.Object(
  {
    kind: Type.Enum(LABEL_KINDS),
    packages: Type.Integer({ minimum: 1, maximum: MAX_PACKAGES }),
    /** The one package whose page is printed, from 1; without it, those of all. */
    package: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PACKAGES })),
    number: Type.String({ pattern: GUIDE_NUMBER }),
    /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
    createdAt: Type.String(),
    service: ServiceType,
    carrier: Type.String(),
    /**
     * The carrier's logo as `data:` URI, by value, so that the worker needs no settings and a changed logo is another
     * label.
     */
    logo: Type.Optional(
      Type.String({
        pattern: '^data:image/(png|svg\\+xml);base64,[A-Za-z0-9+/]+=*$',
        maxLength: MAX_LOGO_LENGTH,
      }),
    ),
    /** What the QR says: the tracking address with the guide number in it. */
    trackingUrl: Type.String(),
    /** The form that is wanted; without it, the PDF. Within the label, so that a worker that knows no forms refuses it. */
    form: Type.Optional(LabelForm),
    origin: BranchOnLabel,
    destination: BranchOnLabel,
    guide: Guide,
  },
  { additionalProperties: false },
);
export type LabelPayload = Static<typeof LabelPayload>;

/** Version of the template that draws each kind: of ours, or of an operator's own (docs/labels.md "Versions"). */
export type TemplateVersions = Readonly<Record<LabelPayload['kind'], string>>;

/**
 * A label to print, its key, and the id of the first request for it. `behind`: it belongs to a file of many, and goes
 * behind labels that are asked for one by one.
 */
export type LabelJob = { key: string; label: LabelPayload; requestId: string; behind?: true };

/**
 * The label cache has the bytes. `at`: when the label was stored, in ms since 1970 by the clock of the queue's Redis;
 * absent from workers of 1.3.0. `dropped`: not printed, because nobody waited any more.
 */
export type LabelJobResult = { bytes: number; at?: number; dropped?: true };

export const isLabelPayload = guideAjv().compile<LabelPayload>(LabelPayload);

export function pageCount({ packages, package: only }: Pick<LabelPayload, 'packages' | 'package'>): number {
  return only === undefined ? packages : 1;
}

/** Characters of a SHA-256 in base64url. */
const HASH_LENGTH = 43;

/** Returns a label's identity (cache key, ETag): a hash of its content and form, and of its template's version. */
export function labelKey(label: LabelPayload, version: string = TEMPLATE_VERSION): string {
  return `${createHash('sha256').update(JSON.stringify(label)).digest('base64url')}-${version}`;
}

/** Returns the key of a label that was asked for as `key` and is drawn by the template of `version`. */
export function printedKey(key: string, version: string): string {
  return `${key.slice(0, HASH_LENGTH)}-${version}`;
}

/**
 * Returns the options of a label's job. Another request for a label that waits or prints joins the same job
 * (`deduplication`). A job is tried again only for failures that are not the label's fault (see the worker).
 * @param place in the line: the smallest number goes first (BullMQ, "Prioritized").
 * @param evictions how often the label was printed but evicted before it was read, since the former job may not have
 * ended yet.
 */
export function labelJobOptions(key: string, place: number, evictions = 0): JobsOptions {
  return {
    priority: place,
    deduplication: { id: evictions === 0 ? key : `${key}/${evictions}` },
    attempts: 3,
    // By their age they are removed by the clock (the api's queue-cleaning.ts).
    removeOnComplete: { count: 1_000 },
    removeOnFail: { count: 1_000 },
  };
}
