import { createHash } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import { type Static, Type } from 'typebox';
import { PickUpPlace, Route } from './branch.ts';
import { GUIDE_NUMBER, Guide, guideAjv, MAX_GUIDES, MAX_PACKAGES, ServiceType } from './guide.ts';
import { LABEL_KINDS, type PrintKind } from './label-kinds.ts';
import { MANIFEST_NUMBER, ManifestGuide, pagesOf } from './manifest.ts';

/** The contract between the api and the label worker. Both check the payload. */

export const LABEL_QUEUE = 'labels';

/**
 * Time limit of a label, from the request until it is printed. The worker's `RECOVERY` and `placeInLine` leave room for
 * another try within this time, but not within a shorter time.
 */
export const LABEL_TIMEOUT_MS = 10_000;

/**
 * Age from which the worker drops a label that nobody waits for. Asking Redis about younger labels costs more than
 * printing them. The api counts their pages as in flight.
 */
export const FRESH_MS = 1_000;

/** Version of our templates. Raise it when a template changes, so that the cache serves no old label. */
export const TEMPLATE_VERSION = '16';

/** Largest file of a logo, which travels with every label's job. Redis keeps the last thousand jobs. */
export const MAX_LOGO_KIB = 12;
/** Length as `data:` URI: base64 has four characters for three bytes. */
const MAX_LOGO_LENGTH = 'data:image/svg+xml;base64,'.length + 4 * Math.ceil((MAX_LOGO_KIB * 1_024) / 3);

/** Formats of a label, the usual one first, by their names on the wire, which are also the endings of files. */
export const MEDIA_TYPES = { pdf: 'application/pdf', png: 'image/png', zpl: 'application/zpl' } as const;
/** Formats beside PDF, and the densities of thermal heads, in dots per inch as the trade says them. */
export const IMAGE_FORMATS = ['png', 'zpl'] as const;
export const DENSITIES = [203, 300] as const;

/** A PNG of a label's one page, or ZPL of all its pages. */
export const ImageFormat = Type.Object(
  { format: Type.Enum(IMAGE_FORMATS), dpi: Type.Enum(DENSITIES) },
  { additionalProperties: false },
);
export type ImageFormat = Static<typeof ImageFormat>;

const BranchOnLabel = Type.Object({ code: Type.String(), name: Type.String() });
/** The logo itself, as `data:` URI. So the worker needs no setting, and a changed logo makes another label. */
const Logo = Type.String({
  pattern: '^data:image/(png|svg\\+xml);base64,[A-Za-z0-9+/]+=*$',
  maxLength: MAX_LOGO_LENGTH,
});

/**
 * All that a label shows. The worker needs no database, and a hash of this value is the label's identity (cache key,
 * ETag).
 */
export const LabelPayload = Type.Object(
  {
    kind: Type.Enum(LABEL_KINDS),
    packages: Type.Integer({ minimum: 1, maximum: MAX_PACKAGES }),
    /** From 1. Without it, every package has its page. */
    package: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PACKAGES })),
    number: Type.String({ pattern: GUIDE_NUMBER }),
    /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
    createdAt: Type.String(),
    service: ServiceType,
    carrier: Type.String(),
    logo: Type.Optional(Logo),
    /** The text of the QR: the tracking address with the guide number in it. */
    trackingUrl: Type.String(),
    /**
     * Absent for PDF. A worker that knows no images refuses it. `form` is the name on the queue, which two releases
     * share.
     */
    form: Type.Optional(ImageFormat),
    origin: BranchOnLabel,
    destination: BranchOnLabel,
    guide: Guide,
    /** Absent for a postal code without one, and on guides of before 1.7.0, as is `pickUp`. */
    route: Type.Optional(Route),
    /** Of a guide that is picked up at its destination. */
    pickUp: Type.Optional(PickUpPlace),
  },
  { additionalProperties: false },
);
export type LabelPayload = Static<typeof LabelPayload>;

/** All that the list of a manifest shows. A worker of 1.4 refuses it. */
export const ManifestPayload = Type.Object(
  {
    kind: Type.Literal('manifest'),
    number: Type.String({ pattern: MANIFEST_NUMBER }),
    /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
    createdAt: Type.String(),
    account: Type.String(),
    carrier: Type.String(),
    logo: Type.Optional(Logo),
    origin: BranchOnLabel,
    guides: Type.Array(
      Type.Object(
        {
          ...ManifestGuide.properties,
          postalCode: Type.Optional(Type.String()),
          /** Cancelled after it came into the manifest. */
          cancelled: Type.Optional(Type.Literal(true)),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_GUIDES },
    ),
    /** By the numbers of the guides that have one. */
    routes: Type.Optional(Type.Record(Type.String({ pattern: GUIDE_NUMBER }), Route)),
  },
  { additionalProperties: false },
);
export type ManifestPayload = Static<typeof ManifestPayload>;
export type PrintPayload = LabelPayload | ManifestPayload;

/** Versions of our templates, or of an operator's own (docs/labels.md "Versions"). */
export type TemplateVersions = Readonly<Record<PrintKind, string>>;

/**
 * Fields that a worker of 1.6 refuses. Each must be last in its payload. They travel beside the rest of it, where such a
 * worker ignores them: it prints the label without, and stores it under the key of its own template's version.
 */
const NEWER_FIELDS = ['route', 'pickUp', 'routes'] as const;
type NewerFields = Partial<Pick<LabelPayload, 'route' | 'pickUp'> & Pick<ManifestPayload, 'routes'>>;

/**
 * `label` and `newer` together are what is printed. `requestId` is that of the first request. `behind`: the label is of a
 * file of many, and goes behind single labels.
 */
export type LabelJob = {
  key: string;
  label: PrintPayload;
  newer?: NewerFields;
  requestId: string;
  behind?: true;
};

/** Divides a payload into what every worker knows, and the rest. */
export function splitPayload(payload: PrintPayload): Pick<LabelJob, 'label' | 'newer'> {
  const isNewer = ([name]: [string, unknown]) => (NEWER_FIELDS as readonly string[]).includes(name);
  const newer = Object.entries(payload).filter(isNewer);
  if (newer.length === 0) return { label: payload };
  const label = Object.entries(payload).filter((field) => !isNewer(field));
  return { label: Object.fromEntries(label) as PrintPayload, newer: Object.fromEntries(newer) };
}

/** Returns the payload of a job, with its fields in the order of `labelKey`. */
export function payloadOf({ label, newer }: Pick<LabelJob, 'label' | 'newer'>): PrintPayload {
  return newer ? { ...label, ...newer } : label;
}

/**
 * `at`: when the label was stored, in ms since 1970 by the clock of the queue's Redis. Workers of 1.3.0 leave it out.
 * `dropped`: the label was not printed, because nobody waited any more.
 */
export type LabelJobResult = { bytes: number; at?: number; dropped?: true };

export const isLabelPayload = guideAjv().compile<LabelPayload>(LabelPayload);
const isManifestPayload = guideAjv().compile<ManifestPayload>(ManifestPayload);

export function isPrintPayload(payload: unknown): payload is PrintPayload {
  return isLabelPayload(payload) || isManifestPayload(payload);
}

type Paged = Pick<LabelPayload, 'packages' | 'package'> | Pick<ManifestPayload, 'guides'>;

export function pageCount(payload: Paged): number {
  if ('guides' in payload) return pagesOf(payload.guides).length;
  return payload.package === undefined ? payload.packages : 1;
}

/** Characters of a SHA-256 in base64url. */
const HASH_LENGTH = 43;

/** Returns a label's identity: a hash of its content and format, and its template's version. */
export function labelKey(label: PrintPayload, version: string = TEMPLATE_VERSION): string {
  return `${createHash('sha256').update(JSON.stringify(label)).digest('base64url')}-${version}`;
}

/** Returns the key under which the label `key` is stored if the template of `version` draws it. */
export function printedKey(key: string, version: string): string {
  return `${key.slice(0, HASH_LENGTH)}-${version}`;
}

/**
 * Another request for a label that waits or prints joins the same job (`deduplication`). The worker ends the attempts
 * of a failure that is the label's fault.
 * @param place in the line: the smallest number goes first (BullMQ, "Prioritized").
 * @param evictions how often the label was printed but evicted before it was read: the former job may not have ended
 * yet.
 */
export function labelJobOptions(key: string, place: number, evictions = 0): JobsOptions {
  return {
    priority: place,
    deduplication: { id: evictions === 0 ? key : `${key}/${evictions}` },
    attempts: 3,
    // The api's queue-cleaning.ts removes jobs by their age.
    removeOnComplete: { count: 1_000 },
    removeOnFail: { count: 1_000 },
  };
}

/** Of a manifest's job, beside those of a label: with 500 guides it is fifty times as large, so Redis keeps none. */
export const MANIFEST_JOB_OPTIONS: JobsOptions = { removeOnComplete: true, removeOnFail: true };
