import { createHash } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import { type Static, Type } from 'typebox';
import { GUIDE_NUMBER, Guide, MAX_PACKAGES, ServiceType } from './guide.ts';
import { guideAjv } from './guide-validator.ts';
import type { Reservation } from './page-reservations.ts';

/**
 * The contract between who asks for a label (api) and who prints it (label-worker): queue, payload, keys,
 * options. Both ends import this file and both check the payload.
 */

export const LABEL_QUEUE = 'labels';

/** Version of our templates. Raise it with every change of one, so that no label of the old look is served from the cache. */
export const TEMPLATE_VERSION = '10';

/** Largest file of a logo: it travels with every label's job, of which Redis keeps the last thousand. */
export const MAX_LOGO_KIB = 12;
/** Length of the largest logo as `data:` URI: base64 is four characters for three bytes. */
const MAX_LOGO_LENGTH = 'data:image/svg+xml;base64,'.length + 4 * Math.ceil((MAX_LOGO_KIB * 1_024) / 3);

/**
 * What a label is printed on: `letter` is one page of 8.5 × 11 in; `medium` of 100 × 150 mm and `small` of 100 × 100 mm
 * have a page for each package. Each kind is a template of the label worker, `label/templates/<kind>.hbs`.
 */
export const LABEL_KINDS = ['letter', 'medium', 'small'] as const;

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
 * All that a label shows, and nothing else: a label is a pure function of this value, so the worker reads no
 * database, and a hash of it is the label's identity (cache key, ETag).
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
     * The carrier's logo as `data:` URI, by value: then the worker needs no settings of its own that may differ,
     * and a changed logo is another label.
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
 * A job: the label; the id of the request that asked first, so that a label can be followed in the logs; and who waits
 * for it, until when. A job of an api of before release 1.2 has no reservation.
 */
export type LabelJob = {
  label: LabelPayload;
  requestId: string;
  /** Id of the api process that is to be told how the job ends; absent from a job of release 1.1. */
  replyTo?: string;
  reservation?: Reservation;
  /** Whether it goes behind labels that are asked for singly. */
  behind?: true;
};
/**
 * The queue carries no bytes; they are in the label cache, under `key` where that is another than the job's own: the
 * worker has another template than the one that was asked for. `dropped`: not printed, since nobody waited any more.
 */
export type LabelJobResult = { bytes: number; key?: string; dropped?: true };

export const isLabelPayload = guideAjv().compile<LabelPayload>(LabelPayload);

/** Returns how many pages a label has. */
export function pageCount({ packages, package: only }: Pick<LabelPayload, 'packages' | 'package'>): number {
  return only === undefined ? packages : 1;
}

/** Pages that an account may have in flight before its further labels go behind those of others. */
const LIGHT_PAGES = 25;

/** When it is a label's turn. */
export type LabelOrder = {
  /** Pages that the account has in flight already: the more, the later. */
  inFlight?: number;
  /** Whether the label goes behind those that are asked for one by one. */
  behind?: boolean | undefined;
};

/** Characters of a SHA-256 in base64url. */
const HASH_LENGTH = 43;

/**
 * Returns a label's identity (cache key, ETag): a hash of what it shows and of its form, and the version of the template
 * that draws it. It holds no `:` and is not digits only (BullMQ's rule for ids).
 */
export function labelKey(label: LabelPayload, version: string = TEMPLATE_VERSION): string {
  return `${createHash('sha256').update(JSON.stringify(label)).digest('base64url')}-${version}`;
}

/**
 * Returns the key of a label that was asked for as `key` and drawn by the template of `version`. A key of release 1.1
 * states no version and stays: that api looks nowhere else.
 */
export function printedKey(key: string, version: string): string {
  return key.length === HASH_LENGTH ? key : `${key.slice(0, HASH_LENGTH)}-${version}`;
}

/**
 * Options of a label's job. Asked for again while it waits or prints, it is the same job (`deduplication`
 * ends when the job does). The job's own id is new each time, since BullMQ silently ignores an id that it
 * still keeps among the finished ones. Tried again only for what is not the label's fault (see the worker).
 *
 * Jobs without priority go first, and of the others those with the smallest number (BullMQ, "Prioritized").
 */
export function labelJobOptions(
  key: string,
  nonce: string,
  { inFlight = 0, behind = false }: LabelOrder = {},
): JobsOptions & { jobId: string } {
  const priority = behind ? LIGHT_PAGES + 1 + inFlight : inFlight;
  return {
    ...(priority > LIGHT_PAGES && { priority }),
    jobId: `${key}.${nonce}`,
    deduplication: { id: key },
    attempts: 3,
    removeOnComplete: { count: 1_000, age: 3_600 },
    removeOnFail: { count: 1_000, age: 3_600 },
  };
}

/** The label's key in a job's id. */
export function keyOfJob(jobId: string): string {
  return jobId.slice(0, jobId.indexOf('.'));
}
