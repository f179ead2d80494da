import { setTimeout as sleep } from 'node:timers/promises';
import { requireReady } from '#local/system.ts';
import { startProxy, type TcpProxy } from './proxy.ts';

/** Interval of the readiness probe, in ms, and the misses in a row that take a process out. */
const PROBE = 100;
const MISSES = 2;

/**
 * Balances as a Kubernetes Service does: each new connection goes to one of the ready processes. The balancer neither
 * retries nor inspects anything, so the client sees every connection that a process drops.
 */
export async function startBalancer(ports: readonly number[]): Promise<TcpProxy> {
  const ready = new Set<number>();
  let closed = false;
  let turn = 0;
  async function probe(port: number): Promise<void> {
    for (let misses = MISSES; !closed; await sleep(PROBE)) {
      const up = await requireReady(`http://127.0.0.1:${port}`).catch(() => false);
      misses = up ? 0 : misses + 1;
      if (misses === 0) ready.add(port);
      else if (misses >= MISSES) ready.delete(port);
    }
  }
  const probes = ports.map(probe);
  const proxy = await startProxy(() => [...ready][turn++ % ready.size]);
  return {
    ...proxy,
    close: async () => {
      closed = true;
      await Promise.all(probes);
      await proxy.close();
    },
  };
}
