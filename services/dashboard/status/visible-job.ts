import type { Job } from 'bullmq';
import { isLabelPayload, type LabelJob, type LabelJobResult } from '#shared/contracts/label-job.ts';
import { KINDS } from '#shared/contracts/label-kinds.ts';
import { explainFailure } from './failure-reasons.ts';

/** What the dashboard shows of a label: no personal data. */
export type VisibleLabel = {
  guia: string;
  tipo: string;
  paquetes: number;
  servicio: string;
  origen: string;
  destino: string;
};

/** A job's data may be anything: others can write to the queue too. */
type JobData = Partial<LabelJob> | null;

/** Returns what may be shown of a job's label; undefined where the job holds no valid label. */
export function visibleLabel(data: JobData): VisibleLabel | undefined {
  const label = data?.label;
  if (!isLabelPayload(label)) return undefined;
  return {
    guia: label.number,
    tipo: KINDS[label.kind].tipo,
    paquetes: label.packages,
    servicio: label.service,
    origen: label.origin.code,
    destino: label.destination.code,
  };
}

/** Returns the id of the request that asked for a job's label; empty where it is not an id (docs/contract.md "Envelopes"). */
export function requestIdOf(data: JobData): string {
  const requestId = data?.requestId;
  return typeof requestId === 'string' && /^[\w.-]{1,64}$/.test(requestId) ? requestId : '';
}

/** Makes a job for Bull Board of what may be shown, and of nothing else that BullMQ keeps. */
export function visibleJob(job: Job<LabelJob>) {
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

/** Keeps the places in our code; an error's own message may quote what a client sent. */
function visibleStack(stack: string): string {
  const [message = '', ...lines] = stack.split('\n');
  const places = lines.filter((line) => /^ {4}at [^"'`]+:\d+:\d+\)?$/.test(line));
  return [explainFailure(message.replace(/^\w+: /, '')), ...places].join('\n');
}
