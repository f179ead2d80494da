import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireReady } from '#local/system.ts';

/** Interval of the readiness probe, in ms, and the misses in a row that take a process out. */
const PROBE = 100;
const MISSES = 2;

/** A balancer that forwards requests to what is ready. */
export type HttpBalancer = {
  url: string;
  /** How often each process was found unready and taken out. */
  removals(): number;
  close(): Promise<void>;
};

/**
 * Balances as an Ingress does: each request goes to the next process that is ready. Where none is, the balancer answers
 * in its own words, as a client of the API should never see.
 */
export async function startHttpBalancer(addresses: readonly string[]): Promise<HttpBalancer> {
  const ready = new Set(addresses);
  let closed = false;
  let turn = 0;
  let removals = 0;
  async function probe(address: string): Promise<void> {
    for (let misses = 0; !closed; await sleep(PROBE)) {
      const up = await requireReady(address).catch(() => false);
      misses = up ? 0 : misses + 1;
      if (up) ready.add(address);
      else if (misses >= MISSES && ready.delete(address)) removals++;
    }
  }
  const probes = addresses.map(probe);
  const server = createServer((client, answer) => {
    const target = [...ready][turn++ % ready.size];
    if (target) forward(target, client, answer);
    else answer.writeHead(503, { 'content-type': 'text/html' }).end('<h1>503 no backend is ready</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    removals: () => removals,
    close: async () => {
      closed = true;
      await Promise.all(probes);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forward(target: string, client: IncomingMessage, answer: ServerResponse): void {
  const { method, url, headers } = client;
  const upstream = request(target + url, { method, headers }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  upstream.on('error', () => answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502</h1>'));
  client.pipe(upstream);
}
