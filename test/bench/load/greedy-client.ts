import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Pool } from 'undici';
import { Client } from '#test/fixtures/client.ts';
import { newGuide } from './guides.ts';
import { hostileBodies } from './hostile-bodies.ts';

/** How a greedy customer floods an api: `connections` each send the next request at the answer to the last one. */
type Flood = {
  url: string;
  kind: 'labels' | 'guides' | 'logins' | 'bodies';
  connections: number;
  seconds: number;
};

/** How many answers of which status came. */
export type Statuses = Record<string, number>;

/** Not the address of the others: wrong logins are counted by address. */
const LOCAL_ADDRESS = '127.0.0.2';

/** Floods an api as a customer who takes all that is given, in a process of its own, which holds up nobody who measures. */
export async function floodAsCustomer(options: Flood): Promise<Statuses> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    import.meta.filename,
    JSON.stringify(options),
  ]);
  return JSON.parse(stdout);
}

async function flood({ url, kind, connections, seconds }: Flood): Promise<Statuses> {
  const pool = new Pool(url, { connections, localAddress: LOCAL_ADDRESS });
  const request = await KINDS[kind](url);
  const statuses: Statuses = {};
  const end = performance.now() + 1_000 * seconds;
  let count = 0;
  const connection = async () => {
    while (performance.now() < end) {
      const { statusCode, body } = await pool.request(request(count++));
      await body.dump();
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return statuses;
}

type Send = (count: number) => Parameters<Pool['request']>[0];

const KINDS: Record<Flood['kind'], (url: string) => Promise<Send>> = {
  /** Labels of 40 to 99 packages, each of them another one. */
  async labels(url) {
    const client = await Client.login(url, 'otro');
    const guides = await client.created(...Array.from({ length: 500 }, newGuide));
    return (count) => ({
      method: 'GET',
      path: `/api/guias/etiqueta-pequena/${guides[count % 500]?.SEND_GUIA}?paquetes=${99 - (Math.floor(count / 500) % 60)}`,
      headers: { authorization: `Bearer ${client.token}` },
    });
  },
  async guides(url) {
    const { token } = await Client.login(url, 'otro');
    const body = JSON.stringify({ TipoServicio: 'Domicilio', Guia: Array.from({ length: 500 }, newGuide) });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return () => ({ method: 'POST', path: '/api/guias/crear', headers, body });
  },
  async bodies(url) {
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

if (process.argv[1] === import.meta.filename) {
  const statuses = await flood(JSON.parse(process.argv[2] ?? ''));
  process.stdout.write(JSON.stringify(statuses), () => process.exit()); // whatever connections are still open
}
