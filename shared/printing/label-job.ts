import { createHash } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import type { DocumentPayload } from '../documents/document-print.ts';
import { isLabelPayload, type LabelPayload } from '../labels/label-payload.ts';
import { type DocumentKind, documentOf, type PrintKind } from './print-kinds.ts';

/** The contract between the api and the label worker. Both check the payload. */

export const LABEL_QUEUE = 'labels';

/**
 * Time limit of a label, from the request until it is printed. The worker's `RECOVERY` and `placeInLine` leave room for
 * another try within this time, but not within a shorter time.
 */
export const LABEL_TIMEOUT_MS = 10_000;

/** Time limit of a print, and of a page of an image, in ms. A Chromium that exceeds it is replaced. */
export const PRINT_TIMEOUT_MS = 4_000;

/**
 * How many attempts can begin within `LABEL_TIMEOUT_MS` if each takes `PRINT_TIMEOUT_MS`. A print that waits for a start of
 * Chromium may take longer: its client is answered `label-late` in time, and may find the label when it asks again.
 */
export const PRINT_ATTEMPTS = Math.ceil(LABEL_TIMEOUT_MS / PRINT_TIMEOUT_MS);

/**
 * Age from which the worker drops a label that nobody waits for. Asking Redis about younger labels costs more than
 * printing them. The api counts their pages as in flight.
 */
export const FRESH_MS = 1_000;

/** Version of our templates. Raise it when a template changes, so that the cache serves no old label. */
export const TEMPLATE_VERSION = '21';

export type PrintPayload = LabelPayload | DocumentPayload<DocumentKind>;

/** Versions of our templates, or of an operator's own (docs/labels.md "Versions"). */
export type TemplateVersions = Readonly<Record<PrintKind, string>>;

/** `requestId` is that of the first request. `behind`: the label is of a file of many, and goes behind single labels. */
export type LabelJob = { key: string; label: PrintPayload; requestId: string; behind?: true };

/**
 * A job in the queue. A label with marks stands in `marked`, where a worker that would leave the marks out does not look: it
 * refuses the job. An api of 1.9 sends some fields of `label` in `newer`.
 */
export type QueuedJob = Omit<LabelJob, 'label'> & {
  label?: PrintPayload;
  newer?: Partial<PrintPayload>;
  marked?: PrintPayload;
};

export function hasMarks(payload: PrintPayload): boolean {
  return 'marks' in payload;
}

export function toQueue({ label, ...job }: LabelJob): QueuedJob {
  return hasMarks(label) ? { ...job, marked: label } : { ...job, label };
}

/** Returns what a job prints; other programs can write to the queue too. */
export function payloadOf({ label, newer, marked }: Partial<QueuedJob>): unknown {
  return marked ?? { ...label, ...newer };
}

/**
 * `at`: when the label was stored, in ms since 1970 by the clock of the queue's Redis.
 * `dropped`: the label was not printed or stored, because nobody waited any more.
 */
export type LabelJobResult = { bytes: number; at?: number; dropped?: true };

export function isLabel(payload: PrintPayload): payload is LabelPayload {
  return !documentOf(payload.kind);
}

export function isPrintPayload(payload: unknown): payload is PrintPayload {
  return isLabelPayload(payload) || !!documentOf((payload as PrintPayload | null)?.kind)?.isPayload(payload);
}

type Paged = Pick<LabelPayload, 'packages' | 'package'> | DocumentPayload<DocumentKind>;

export function pageCount(payload: Paged): number {
  if (!('packages' in payload)) return documentOf(payload.kind)?.pageCount(payload) ?? 1;
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
 * of a failure that is the label's fault. A document's job may be fifty times as large as a label's, so Redis keeps none
 * that has ended.
 * @param place in the line: the smallest number goes first (BullMQ, "Prioritized").
 * @param evictions how often the label was printed but evicted before it was read: the former job may not have ended
 * yet.
 */
export function labelJobOptions(key: string, place: number, evictions = 0, kind?: PrintKind): JobsOptions {
  // The api's queue-cleaning.ts removes jobs by their age.
  const removed = !!documentOf(kind) || { count: 1_000 };
  return {
    priority: place,
    deduplication: { id: evictions === 0 ? key : `${key}/${evictions}` },
    attempts: PRINT_ATTEMPTS,
    removeOnComplete: removed,
    removeOnFail: removed,
  };
}
