import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { Client } from '#test/fixtures/client.ts';
import { newGuide } from './guides.ts';
import { hostileBodies } from './hostile-bodies.ts';

/**
 * A customer who takes all that is given: connections each of which sends the next request at its answer, whatever that
 * says. The program is a process of its own, so that it does not hold up those who measure what others get.
 *
 * `--url`, `--kind labels|guides|logins|bodies`, `--connections`, `--seconds`. Prints how many answers of which status
 * came, as JSON.
 */

/** Not the address of the others: wrong logins are counted by address. */
const LOCAL_ADDRESS = '127.0.0.2';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { url: text, kind: text, connections: text, seconds: text } });
const url = values.url ?? '';
const connections = Number(values.connections);
const pool = new Pool(url, { connections, localAddress: LOCAL_ADDRESS });
const statuses: Record<string, number> = {};

type Send = (count: number) => Parameters<Pool['request']>[0];

const KINDS: Record<string, () => Promise<Send>> = {
  /** Labels of 40 to 99 packages, each of them another one. */
  async labels() {
    const client = await Client.login(url, 'otro');
    const guides = await client.created(...Array.from({ length: 500 }, newGuide));
    return (count) => ({
      method: 'GET',
      path: `/api/guias/etiqueta-pequena/${guides[count % 500]?.SEND_GUIA}?paquetes=${99 - (Math.floor(count / 500) % 60)}`,
      headers: { authorization: `Bearer ${client.token}` },
    });
  },
  async guides() {
    const { token } = await Client.login(url, 'otro');
    const body = JSON.stringify({ TipoServicio: 'Domicilio', Guia: Array.from({ length: 500 }, newGuide) });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return () => ({ method: 'POST', path: '/api/guias/crear', headers, body });
  },
  async bodies() {
    const { token } = await Client.login(url, 'otro');
    const bodies = hostileBodies();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (count) => ({
      method: 'POST',
      path: '/api/guias/crear',
      headers,
      body: bodies[count % bodies.length] ?? '',
    });
  },
  /** Wrong passwords, half of them of the user whom the others are. */
  async logins() {
    return (count) => ({
      method: 'POST',
      path: '/api/auth/login',
      headers: { 'x-username': count % 2 ? 'demo' : `nadie${count}`, 'x-password': `mal${count}` },
    });
  },
};

const request = await KINDS[values.kind ?? '']?.();
if (!request) throw new Error('--kind is labels, guides, logins or bodies');
const end = performance.now() + 1_000 * Number(values.seconds);
let count = 0;
async function connection(send: Send): Promise<void> {
  while (performance.now() < end) {
    const { statusCode, body } = await pool.request(send(count++));
    await body.dump();
    statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
  }
}
await Promise.all(Array.from({ length: connections }, () => connection(request)));
process.stdout.write(JSON.stringify(statuses));
await pool.destroy();
