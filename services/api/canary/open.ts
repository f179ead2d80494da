import type { AddressInfo } from 'node:net';
import { Client } from 'undici';
import { canaryNames } from '#shared/canary/names.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Base } from '../http/room.ts';
import { SelfTest } from './self-test.ts';

/** Tests the process as the canary's user once it listens. Without the canary's account there is no test. */
export function openCanary(
  server: HttpServer,
  { config: { CELL: cell }, users, signToken, processes, log }: Base & Accounts,
): void {
  let selfTest: SelfTest | undefined;
  server.dependencies.set('self-test', { check: async () => selfTest?.requirePassed(), required: false });
  server.startup.onceConnected("the canary's account", async () => {
    const user = await users.find(canaryNames(cell).user);
    if (user?.canaryOf !== cell) return;
    const call: ConstructorParameters<typeof SelfTest>[0]['call'] = async ({ path, body, signal }) => {
      const client = new Client(ownAddress(server));
      try {
        const answer = await client.request({
          method: body ? 'POST' : 'GET',
          path,
          headers: {
            authorization: `Bearer ${signToken(user)}`,
            ...(body && { 'content-type': 'application/json' }),
          },
          body: body ? JSON.stringify(body) : null,
          signal,
        });
        return { status: answer.statusCode, bytes: Buffer.from(await answer.body.arrayBuffer()) };
      } finally {
        await client.destroy();
      }
    };
    selfTest = new SelfTest({ call, processes, log });
  });
  server.addHook('onListen', async () => {
    void server.startup.done.then(() => selfTest?.run());
  });
  server.addHook('preClose', async () => selfTest?.stop());
}

/** Returns the address by which a process reaches itself, whichever it listens on. */
function ownAddress({ server }: HttpServer): string {
  const { address, family, port } = server.address() as AddressInfo;
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
