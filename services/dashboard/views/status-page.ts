import { LABEL_QUEUE } from '#shared/contracts/label-job.ts';
import type { RedisState } from '#shared/stores/redis-state.ts';
import { type Diagnosis, diagnose } from '../status/diagnostics.ts';
import { bytes, count, duration, number, utcTime } from '../status/format.ts';
import type { LatencyFigures } from '../status/latency.ts';
import type { Failure, QueueState } from '../status/queue-state.ts';
import { compileTemplate } from './templates.ts';

/** Who looks at the page, and where its links lead. */
export type Viewer = { username: string; runbookUrl: string | undefined; boardPath: string };

const template = compileTemplate<ReturnType<typeof statusView>>('estado');

/** Renders the page "Estado": what is wrong, and how the queue is. */
export function statusPage(state: QueueState, viewer: Viewer): string {
  return template(statusView(state, viewer));
}

function statusView(state: QueueState, viewer: Viewer) {
  const { runbookUrl, boardPath } = viewer;
  const { at, latency, failures, workers, redis, paused } = state;
  const problems = diagnose(state);
  const boardQueue = `${boardPath}/queue/${LABEL_QUEUE}`;
  return {
    ...viewer,
    ...headline(problems),
    boardQueue,
    paused,
    problems: problems.map((problem) => ({ ...problem, href: sectionUrl(runbookUrl, problem.section) })),
    updated: utcTime(at),
    queue: queueView(state),
    latency: latency && latencyView(latency, at),
    workers: workers.map((worker) => workerView(worker, at)),
    failures: failures.map((failure) => failureView(failure, at, boardQueue)),
    redis: redisView(redis, runbookUrl),
  };
}

function headline(problems: Diagnosis[]) {
  const count = problems.length;
  const text = count === 0 ? 'Todo bien' : count === 1 ? 'Hay un problema' : `Hay ${count} problemas`;
  return { state: severity(problems), headline: text };
}

/** Returns the class of what has these problems in the page's style sheet. */
function severity(problems: Diagnosis[]): 'bien' | 'atencion' | 'mal' {
  if (problems.length === 0) return 'bien';
  return problems.some(({ grave }) => grave) ? 'mal' : 'atencion';
}

function queueView({ waiting, active, delayed, failed, oldestMs }: QueueState) {
  return [
    { name: 'En espera', value: number(waiting) },
    { name: 'Imprimiéndose', value: number(active) },
    { name: 'Aplazadas', value: number(delayed) },
    { name: 'Fallidas', value: number(failed) },
    { name: 'Espera más larga', value: oldestMs === undefined ? '—' : duration(oldestMs) },
  ];
}

function latencyView({ p50, p99, labels, since }: LatencyFigures, now: number) {
  return {
    p50: duration(p50),
    p99: duration(p99),
    labels: count(labels, 'etiqueta', 'etiquetas'),
    since: duration(now - since),
  };
}

function workerView({ host, pid, startedAt, labels, chromium }: QueueState['workers'][number], now: number) {
  return {
    host,
    pid,
    uptime: duration(now - startedAt),
    labels: number(labels),
    chromium: {
      ...chromium,
      runs: chromium.state === 'running',
      starts: chromium.state === 'starting',
      age: duration(now - chromium.since),
      prints: number(chromium.prints),
      memory: chromium.memoryBytes === undefined ? '—' : bytes(chromium.memoryBytes),
    },
  };
}

function failureView({ jobId, at, reason, guide, requestId }: Failure, now: number, boardQueue: string) {
  return {
    href: `${boardQueue}/${encodeURIComponent(jobId)}`,
    ago: duration(now - at),
    time: utcTime(at),
    reason,
    guide: guide || '—',
    requestId: requestId || '—',
  };
}

function redisView({ usedBytes, maxBytes, noeviction, ...disk }: RedisState, runbookUrl: string | undefined) {
  return {
    memory: bytes(usedBytes),
    limit: maxBytes > 0 ? `de ${bytes(maxBytes)}` : 'sin límite',
    noeviction,
    disk: diskView(disk, runbookUrl),
  };
}

function diskView(
  { appendOnly, writesFail }: Pick<RedisState, 'appendOnly' | 'writesFail'>,
  runbookUrl: string | undefined,
) {
  if (appendOnly && !writesFail) return { state: '', text: 'sí', href: undefined };
  const href = sectionUrl(runbookUrl, 'redisdisk');
  return writesFail ? { state: 'mal', text: 'falla', href } : { state: 'atencion', text: 'no', href };
}

function sectionUrl(runbookUrl: string | undefined, section: string): string | undefined {
  return runbookUrl && `${runbookUrl}#${section}`;
}
