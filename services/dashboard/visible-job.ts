import type { Job } from 'bullmq';
import { KINDS } from '#shared/labels/label-kinds.ts';
import {
  isLabel,
  isPrintPayload,
  type LabelJobResult,
  payloadOf,
  type QueuedJob,
} from '#shared/printing/label-job.ts';
import { documentOf } from '#shared/printing/print-kinds.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';

/** Other programs can write to the queue too, so a job's data may be anything. */
type JobData = Partial<QueuedJob> | null;

/** Returns the label's data that is not personal; undefined if the job holds no valid label. */
export function visibleLabel(data: JobData) {
  const label = payloadOf(data ?? {});
  if (!isPrintPayload(label)) return undefined;
  if (!isLabel(label)) return documentOf(label.kind)?.visible(label);
  return {
    guia: label.number,
    tipo: KINDS[label.kind].tipo,
    paquetes: label.packages,
    servicio: label.service,
    origen: label.origin.code,
    destino: label.destination.code,
  };
}

/** Returns an empty text if a job has no valid id (docs/contract.md "Envelopes"). */
export function requestIdOf(data: JobData): string {
  const requestId = data?.requestId;
  return typeof requestId === 'string' && /^[\w.-]{1,64}$/.test(requestId) ? requestId : '';
}

export function visibleJob(job: Job<QueuedJob>) {
  const label = visibleLabel(job.data);
  return {
    id: job.id ?? '',
    name: label ? `Etiqueta ${label.tipo}` : 'Etiqueta no válida',
    data: { ...label, solicitud: requestIdOf(job.data) },
    progress: 0,
    timestamp: job.timestamp,
    processedOn: job.processedOn ?? null,
    finishedOn: job.finishedOn ?? null,
    delay: job.delay,
    attemptsMade: job.attemptsMade,
    attemptsStarted: job.attemptsStarted,
    stalledCounter: job.stalledCounter,
    failedReason: job.failedReason ? explainFailure(job.failedReason) : '',
    stacktrace: (job.stacktrace ?? []).map(visibleStack),
    returnvalue: visibleResult(job.returnvalue),
    opts: { attempts: job.opts.attempts },
  };
}

function visibleResult(result: Partial<LabelJobResult> | null) {
  if (!result) return null;
  return result.dropped ? { descartada: 'ya nadie la esperaba' } : { bytes: Number(result.bytes) };
}

/** Keeps only the lines of our code, because an error's message may quote a client. */
function visibleStack(stack: string): string {
  const [message = '', ...lines] = stack.split('\n');
  const places = lines.filter((line) => /^ {4}at [^"'`]+:\d+:\d+\)?$/.test(line));
  return [explainFailure(message.replace(/^\w+: /, '')), ...places].join('\n');
}

/** BullMQ keeps only an error's message. The message of a `DomainError` is its code. */
const BY_CODE: Readonly<Record<string, string>> = {
  'label-unprintable': 'Los datos de la etiqueta no se pueden imprimir',
  'payload-invalid': 'El trabajo no trae una etiqueta válida: ¿api y label-worker de versiones distintas?',
  'browser-failed': 'Chromium falló o tardó demasiado',
  'label-unstored': 'El Redis de las etiquetas no la guarda: ¿lleno, o réplica?',
  'image-failed': 'El hilo que dibuja PNG y ZPL falló o tardó demasiado',
};
/** Errors of BullMQ and Redis, by the beginning of their messages. */
const BY_BEGINNING = [
  // The label worker's `maxStalledCount` allows two.
  ['job stalled more than allowable limit', 'El worker que la imprimía se detuvo, tres veces'],
  ['OOM ', 'Redis está lleno'],
] as const;

/** Explains a job's failure. Hides an unknown message, which may quote personal data. The worker logs that message. */
export function explainFailure(error: string): string {
  if (Object.hasOwn(BY_CODE, error)) return BY_CODE[error] as string;
  const known = BY_BEGINNING.find(([beginning]) => error.startsWith(beginning));
  if (known) return known[1];
  if (isTransientError(new Error(error))) return 'Redis no respondió';
  return 'Error inesperado: búsquelo en el registro del label-worker por la solicitud';
}
