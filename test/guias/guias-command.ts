import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { repoRoot } from '#local/folders.ts';

export type Ended = { code: unknown; out: string; err: string };

/** Runs `guias …` in a folder, with the service at `url` and a password on standard input. Its environment has no more. */
export function runGuias(
  args: string[],
  { folder, url, password = 'demo1234' }: { folder: string; url: string; password?: string },
): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, GUIAS_URL: url, GUIAS_USUARIO: 'demo' };
    const options = { cwd: folder, env, timeout: 100_000 };
    const child = execFile(
      'node',
      [join(repoRoot, 'services/guias/main.ts'), ...args],
      options,
      (error, out, err) => resolve({ code: error ? (error.code ?? error.signal) : 0, out, err }),
    );
    child.stdin?.end(`${password}\n`);
  });
}

/** What happens to a request on its way: nothing, or it is answered here, or its answer is lost. */
export type Fate = 'served' | 'lost' | { status: number; headers?: Record<string, string>; body: unknown };

/** Starts a proxy in front of the service. @param fateOf is asked about every request. */
export async function startProxy(target: string, fateOf: (path: string) => Fate) {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const fate = fateOf(request.url ?? '');
    const body = Buffer.concat(await request.toArray());
    if (typeof fate === 'object') {
      response.writeHead(fate.status, { 'content-type': 'application/json', ...fate.headers });
      response.end(JSON.stringify(fate.body));
      return;
    }
    const headers = Object.entries(request.headers).filter(([name]) => !/^(host|connection)$/.test(name));
    const answer = await fetch(new URL(request.url ?? '', target), {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(headers) as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const bytes = await answer.bytes();
    if (fate === 'lost') {
      response.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(bytes);
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
