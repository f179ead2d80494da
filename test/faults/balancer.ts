import { setTimeout as sleep } from 'node:timers/promises';
import { saysReady } from '../../local/system.ts';
import { startProxy, type TcpProxy } from './proxy.ts';

/** How often each process is asked whether it is ready, in ms. */
const PROBE = 100;

/**
 * What a service of Kubernetes does: each new connection goes to one of the processes that say they are ready. It
 * repeats nothing and looks into nothing, so what a process drops, the client sees.
 */
export async function startBalancer(ports: readonly number[]): Promise<TcpProxy> {
  let closed = false;
  let ready: readonly number[] = [];
  let turn = 0;
  const probe = async () => {
    const answers = await Promise.all(
      ports.map((port) => saysReady(`http://127.0.0.1:${port}`).catch(() => false)),
    );
    ready = ports.filter((_, i) => answers[i]);
  };
  await probe();
  const probing = (async () => {
    for (; !closed; await sleep(PROBE)) await probe();
  })();
  const proxy = await startProxy(() => ready[turn++ % ready.length]);
  return {
    ...proxy,
    close: async () => {
      closed = true;
      await probing;
      await proxy.close();
    },
  };
}
