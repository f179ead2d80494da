import type { Job } from 'bullmq';
import { isLabelPayload, type LabelJob } from '#shared/contracts/label-job.ts';
import { reasonOf } from '../status/failure-reasons.ts';

/** What is shown of a label: no personal data. */
export type VisibleLabel = {
  guia: string;
  tipo: string;
  paquetes: number;
  servicio: string;
  origen: string;
  destino: string;
};

/** What the queue holds is not always what we put there. */
type JobData = Partial<LabelJob> | null;

/** The label of a job; undefined where the job has none that is valid, which may then hold anything. */
export function visibleLabel(data: JobData): VisibleLabel | undefined {
  const label = data?.label;
  if (!isLabelPayload(label)) return undefined;
  return {
    guia: label.number,
    tipo: label.kind === 'letter' ? 'carta' : 'pequeña',
    paquetes: label.packages,
    servicio: label.service,
    origen: label.origin.code,
    destino: label.destination.code,
  };
}

/** The id of the request that asked for a job's label, as our services make it or let it pass. */
export function requestIdOf(data: JobData): string {
  const requestId = data?.requestId;
  return typeof requestId === 'string' && /^[\w.-]{1,64}$/.test(requestId) ? requestId : '';
}

/** A job as Bull Board takes it, made of what may be seen and of nothing else that BullMQ keeps. */
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
    failedReason: job.failedReason ? reasonOf(job.failedReason) : '',
    stacktrace: (job.stacktrace ?? []).map(visibleStack),
    returnvalue: job.returnvalue ? { bytes: Number(job.returnvalue.bytes) } : null,
    opts: { attempts: job.opts.attempts },
  };
}

/** What happened in plain words, and where in our code: an error's own message may quote what was sent. */
function visibleStack(stack: string): string {
  const [message = '', ...lines] = stack.split('\n');
  const places = lines.filter((line) => /^ {4}at [^"'`]+:\d+:\d+\)?$/.test(line));
  return [reasonOf(message.replace(/^\w+: /, '')), ...places].join('\n');
}
