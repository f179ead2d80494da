import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { BOARD_PATH } from '../plugins/bull-board.ts';
import { problemsOf } from '../status/diagnostics.ts';
import type { Failure, QueueState, RedisState } from '../status/queue-state.ts';
import { bytes, count, duration, number, utcTime } from './format.ts';

/** The pages as HTML. Whatever a field holds leaves escaped. */

const engine = Handlebars.create();
const template = <T>(name: string) =>
  engine.compile<T>(readFileSync(new URL(`templates/${name}.hbs`, import.meta.url), 'utf8'), {
    knownHelpersOnly: true,
    strict: true,
  });
engine.registerPartial('layout', template('layout'));

const login = template<{ message: string | undefined }>('entrar');
const status = template<ReturnType<typeof statusView>>('estado');
const error = template<ErrorView>('error');

type ErrorView = {
  status: number;
  message: string | undefined;
  requestId: string | undefined;
  /** A dependency is away: the page asks again by itself. */
  outage: boolean;
  runbookUrl: string | undefined;
};

/** @param view.message what was wrong with the last attempt. */
export function loginPage({ message }: { message?: string | undefined }): string {
  return login({ message });
}

export function errorPage(view: ErrorView): string {
  return error(view);
}

export function statusPage(
  state: QueueState,
  viewer: { username: string; runbookUrl: string | undefined },
): string {
  return status(statusView(state, viewer));
}

function statusView(
  state: QueueState,
  { username, runbookUrl }: { username: string; runbookUrl: string | undefined },
) {
  const { at, oldestMs, latency, failures, workers, redis } = state;
  const problems = problemsOf(state).map((problem) => ({
    ...problem,
    href: runbookUrl && `${runbookUrl}#${problem.section}`,
  }));
  return {
    ...headline(problems),
    username,
    runbookUrl,
    boardPath: BOARD_PATH,
    problems,
    updated: utcTime(at),
    queue: [
      { name: 'En espera', value: number(state.waiting) },
      { name: 'Imprimiéndose', value: number(state.active) },
      { name: 'Aplazadas', value: number(state.delayed) },
      { name: 'Fallidas', value: number(state.failed) },
      { name: 'Espera más larga', value: oldestMs === undefined ? '—' : duration(oldestMs) },
    ],
    latency: latency && {
      p50: duration(latency.p50),
      p99: duration(latency.p99),
      labels: count(latency.labels, 'etiqueta', 'etiquetas'),
      since: duration(at - latency.since),
    },
    workers: workers.map(({ host, pid, startedAt, labels, chromium }) => ({
      host,
      pid,
      uptime: duration(at - startedAt),
      labels: number(labels),
      chromium: chromium && {
        age: duration(at - chromium.startedAt),
        prints: number(chromium.prints),
        memory: bytes(chromium.residentBytes),
      },
    })),
    failures: failures.map((failure) => failureView(failure, at)),
    redis: {
      memory: bytes(redis.usedBytes),
      limit: redis.maxBytes > 0 ? `de ${bytes(redis.maxBytes)}` : 'sin límite',
      noeviction: redis.noeviction,
      disk: diskView(redis, runbookUrl),
    },
  };
}

function headline(problems: { grave: boolean }[]) {
  if (problems.length === 0) return { state: 'bien', headline: 'Todo bien' };
  const grave = problems.some((problem) => problem.grave);
  return {
    state: grave ? 'mal' : 'atencion',
    headline: problems.length === 1 ? 'Hay un problema' : `Hay ${problems.length} problemas`,
  };
}

function diskView({ appendOnly, writesFail }: RedisState, runbookUrl: string | undefined) {
  if (appendOnly && !writesFail) return { state: '', text: 'sí', href: undefined };
  const href = runbookUrl && `${runbookUrl}#redisdisk`;
  return writesFail ? { state: 'mal', text: 'falla', href } : { state: 'atencion', text: 'no', href };
}

function failureView({ jobId, at, reason, guide, requestId }: Failure, now: number) {
  return {
    href: `${BOARD_PATH}/queue/labels/${encodeURIComponent(jobId)}`,
    ago: duration(now - at),
    time: utcTime(at),
    reason,
    guide: guide || '—',
    requestId: requestId || '—',
  };
}
