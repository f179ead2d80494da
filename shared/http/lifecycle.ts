import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import {
  type Dependencies,
  type Dependency,
  failedDependencies,
  type HealthState,
  IsPublic,
  isAnswering,
  MissingHere,
  stateOf,
} from '#shared/stores/dependencies.ts';
import { explainOutage } from '#shared/stores/transient-errors.ts';
import type { HttpServer } from './http-server.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The plugin that opens a connection adds it here, for health and `dependency_up`. */
    dependencies: Dependencies;
    startup: Startup;
  }
}

/** Pause after the first failed try of a step. Each further pause is twice as long, up to the maximum. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** Longest wait for the current step of the start when the service closes. */
const STOP_MS = 3_000;

type Step = { what: string; work: () => Promise<unknown> };

/**
 * Runs the steps of a service's start, and repeats each until it succeeds. Meanwhile, requests that need an absent store
 * get 503. Logs only success and new reasons of a failure.
 */
export class Startup {
  /** Resolves when every step is done. Never resolves if the service closes before. */
  readonly done: Promise<void>;
  isDone = false;
  readonly #done = Promise.withResolvers<void>();
  readonly #log: FastifyBaseLogger;
  readonly #end = new AbortController();
  readonly #connections: Promise<void>[] = [];
  readonly #steps: Step[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(log: FastifyBaseLogger) {
    this.#log = log;
    this.done = this.#done.promise;
  }

  /** Adds a connection; all connections are opened at the same time. @param what names the store in the log. */
  connect(what: string, work: () => Promise<unknown>): void {
    this.#connections.push(this.#untilDone({ what, work }));
  }

  /** Adds a step that runs after all connections, in the order of the calls. */
  onceConnected(what: string, work: () => Promise<unknown>): void {
    this.#steps.push({ what, work });
  }

  /** Begins the steps; call it when all are added. */
  begin(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await withTimeout(STOP_MS, 'The last step of the start', this.#running).catch((err) =>
      this.#log.warn({ err }, 'A step of the start was given up'),
    );
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    await Promise.race([Promise.all(this.#connections), once(signal, 'abort')]);
    for (const step of this.#steps) await this.#untilDone(step);
    if (signal.aborted) return;
    this.isDone = true;
    this.#done.resolve();
  }

  async #untilDone({ what, work }: Step): Promise<void> {
    const log = new FailureLog(this.#log, {
      failed: (err) => `The service waits for ${what}: ${explainOutage(err)}`,
      recovered: `The service no longer waits for ${what}`,
    });
    for (let pause = FIRST_PAUSE_MS; !this.#end.signal.aborted; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        await work();
        return log.succeeded();
      } catch (error) {
        log.failed(error);
      }
      await sleep(pause, undefined, { signal: this.#end.signal }).catch(() => {});
    }
  }
}

/** @param drainMs see `addDraining`. */
export function addLifecycle(server: HttpServer, drainMs: number): void {
  server.decorate('dependencies', new Map());
  server.decorate('startup', new Startup(server.log));
  const closing = addDraining(server, drainMs);
  server.addHook('preClose', () => server.startup.stop());
  addHealth(server, closing);
}

/**
 * Graceful shutdown: reports not ready, sends `Connection: close`, serves for `drainMs`, then closes when the last
 * request is answered. A server that never listened closes at once. Fastify itself sends `Connection: close` only for
 * requests that begin during the shutdown.
 * @returns whether the server is closing.
 */
function addDraining(server: HttpServer, drainMs: number): () => boolean {
  let closing = false;
  // Node counts unused connections of browsers as active, and would wait for them.
  const unused = new Set<Socket>();
  server.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.server.on('request', ({ socket }) => unused.delete(socket));
  server.addHook('preClose', async () => {
    closing = true;
    if (server.server.listening) await sleep(drainMs);
    for (const socket of unused) socket.destroy();
  });
  server.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
  return () => closing;
}

/**
 * Adds `/health/live` and `/health/ready` (docs/contract.md "Ports"). A process becomes ready once its start is done
 * and each required dependency has answered. A later outage of a shared store makes it `degraded`, not unready, because
 * the other processes lack that store too. Clients then get our 503 with `Retry-After`. A process whose secret is refused,
 * and was taken by none of those that check it, is not ready: a rollout would replace good processes by it. If one has
 * taken it, the secret of the other is wrong. Nor is a process ready that never had what the others of its installation have,
 * or whose store anybody can read.
 */
function addHealth(server: HttpServer, closing: () => boolean): void {
  const config = { quiet: true };
  const states = new Map<string, HealthState>();
  const answered = new Set<string>();
  const isTaken = (secret: string) =>
    [...server.dependencies].some(([name, other]) => other.secret === secret && answered.has(name));
  const isUnready = ([name, { required, own, secret }]: [string, Dependency]) =>
    (required && (!answered.has(name) || (own && states.get(name) === 'down'))) ||
    (secret !== undefined && states.get(name) === 'refused' && !isTaken(secret));
  server.get('/health/live', { config }, async () => ({ status: 'ok' }));
  server.get('/health/ready', { config }, async (request, reply) => {
    const { dependencies } = server;
    const failed = await failedDependencies(dependencies);
    for (const dependency of dependencies.keys()) {
      const err = failed.get(dependency);
      const state = stateOf(err);
      const before = states.get(dependency) ?? 'ok';
      if (state !== before && err) request.log.warn({ err, dependency }, 'A dependency does not serve');
      if (state !== before && !err) request.log.info({ dependency }, 'A dependency serves again');
      if (isAnswering(state)) answered.add(dependency);
      states.set(dependency, state);
    }
    const starting = !server.startup.isDone;
    const mayServe = [...failed.values()].every(
      (error) => !(error instanceof MissingHere || error instanceof IsPublic),
    );
    const down = closing() || starting || !mayServe || [...dependencies].some(isUnready);
    const status = down ? 'down' : failed.size > 0 ? 'degraded' : 'ok';
    return reply
      .code(down ? 503 : 200)
      .send({ status, ...Object.fromEntries(states), ...(starting && { start: 'waiting' }) });
  });
}
