import { setTimeout as delay } from 'node:timers/promises';
import type { HttpServer } from '#shared/http/http-server.ts';

type Work = {
  /** Names the work while the stores are waited for. */
  name: string;
  pauseMs: number;
  failure: string;
};

/** Does some work again and again once the stores are there. A server that closes ends it, and waits until it has ended. */
export function repeat(
  server: HttpServer,
  { name, pauseMs, failure }: Work,
  work: (end: AbortSignal) => Promise<void>,
): void {
  const end = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const untilEnd = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await work(signal).catch((err) => server.log.warn({ err }, failure));
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  };
  server.addHook('onClose', async () => {
    end.abort();
    await running;
  });
  server.startup.onceConnected(name, async () => {
    running = untilEnd(end.signal);
  });
}
