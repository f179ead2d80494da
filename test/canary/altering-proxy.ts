import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer of the service, which may still be changed; `cut` ends the body early. */
export type Altered = { path: string; status: number; body: Buffer; cut?: true };

/** Starts a proxy before a service. `alter` gets each answer; `drop` returns the headers that a request loses. */
export async function startAlteringProxy(url: string) {
  const proxy = {
    url: '',
    alter: (_answer: Altered): void => {},
    drop: (_path: string): string[] => [],
    close: async () => void server.close(),
  };
  const server = createServer(
    (asked, response) => void pass(asked, response).catch(() => response.destroy()),
  );
  async function pass(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = asked.url ?? '';
    const headers = { ...asked.headers };
    for (const name of proxy.drop(path)) delete headers[name];
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    asked.pipe(
      request(new URL(path, url), { method: asked.method, headers, agent: false }, resolve).on(
        'error',
        reject,
      ),
    );
    const answer = await promise;
    const altered: Altered = {
      path,
      status: answer.statusCode ?? 0,
      body: Buffer.concat(await answer.toArray()),
    };
    proxy.alter(altered);
    const { 'content-length': _, 'transfer-encoding': __, ...rest } = answer.headers;
    response.writeHead(altered.status, { ...rest, 'content-length': altered.body.length });
    if (altered.cut)
      response.write(altered.body.subarray(0, altered.body.length / 2), () => response.destroy());
    else response.end(altered.body);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}
