import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Pool } from 'undici';
import { Client } from '#test/fixtures/client.ts';
import { newGuide } from './guides.ts';
import { hostileBodies, manyPackages, misspeltColonias, weighings } from './hostile-bodies.ts';

/** How a greedy customer floods an api: `connections` each send the next request at the answer to the last one. */
type Flood = {
  url: string;
  kind: 'labels' | 'guides' | 'logins' | 'bodies' | 'colonias' | 'quotes' | 'weighings' | 'simulations';
  connections: number;
  seconds: number;
};

/** How many answers of which status came. */
export type Statuses = Record<string, number>;

/** Not the address of the others: wrong logins are counted by address. */
const LOCAL_ADDRESS = '127.0.0.2';

/**
 * Floods an api as a customer who takes all that is given, in a process of its own, which holds up nobody who measures.
 * Resolves when the flood begins; `ended` resolves after it.
 */
export async function floodAsCustomer(options: Flood): Promise<{ ended: Promise<Statuses> }> {
  const child = fork(import.meta.filename, [JSON.stringify(options)]);
  const exit = once(child, 'exit');
  const heard = async () => {
    const [message] = await Promise.race([once(child, 'message'), exit]);
    if (!Object.hasOwn(Object(message), 'statuses')) throw new Error(`The flood of ${options.kind} failed`);
    return (message as { statuses: Statuses }).statuses;
  };
  await heard();
  return { ended: heard() };
}

async function flood({ url, kind, connections, seconds }: Flood): Promise<Statuses> {
  const pool = new Pool(url, { connections, localAddress: LOCAL_ADDRESS });
  const request = await KINDS[kind](url);
  const statuses: Statuses = {};
  process.send?.({ statuses });
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
    const body = JSON.stringify({ TipoServicio: 'Domicilio', Guia: Array.from({ length: 500 }, newGuide) });
    return poster(await Client.login(url, 'otro'), '/api/guias/crear', body);
  },
  async bodies(url) {
    const { token } = await Client.login(url, 'otro');
    const bodies = hostileBodies();
    return (count) => post(token, '/api/guias/crear', bodies[count % bodies.length] ?? '');
  },
  async colonias(url) {
    return poster(await Client.login(url, 'otro'), '/api/guias/validar', misspeltColonias());
  },
  async quotes(url) {
    const body = JSON.stringify({ Guia: Array.from({ length: 500 }, newGuide) });
    return poster(await Client.login(url, 'otro'), '/api/guias/cotizar', body);
  },
  /** 500 weighings of one guide a request. A guide takes four such requests, and refuses the next four. */
  async weighings(url) {
    const [guides, { token }] = [await heavyGuides(url, 'otro'), await Client.login(url, 'escaner')];
    return (count) => {
      const Ocurrido = new Date().toISOString();
      const Eventos = weighings({ Guia: guideOf(guides, count), Ocurrido });
      for (const event of Eventos) Object.assign(event, { Id: randomUUID() });
      return post(token, '/api/eventos', JSON.stringify({ Eventos }));
    };
  },
  /** The same of a test account. */
  async simulations(url) {
    const [guides, { token }] = [await heavyGuides(url, 'prueba'), await Client.login(url, 'prueba')];
    const body = JSON.stringify({ Eventos: weighings() });
    return (count) => post(token, `/api/guias/${guideOf(guides, count)}/simular`, body);
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

function post(token: string, path: string, body: string): ReturnType<Send> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return { method: 'POST', path, headers, body };
}

function poster({ token }: Client, path: string, body: string): Send {
  return () => post(token, path, body);
}

/** Makes guides of 99 packages with a quote. @returns their numbers. */
async function heavyGuides(url: string, user: string): Promise<string[]> {
  const client = await Client.login(url, user);
  const quoted = await client.post('/api/guias/cotizar', {
    TipoServicio: 'Domicilio',
    Guia: [manyPackages()],
  });
  const Cotizacion = (quoted.body.data as [{ Opciones: [{ Cotizacion: string }] }])[0].Opciones[0].Cotizacion;
  const guides = Array.from({ length: 500 }, () => ({ ...manyPackages(), Cotizacion }));
  return (await client.created(...guides)).map(({ SEND_GUIA }) => SEND_GUIA);
}

function guideOf(guides: readonly string[], count: number): string {
  return guides[Math.floor(count / 8) % guides.length] ?? '';
}

if (process.argv[1] === import.meta.filename) {
  const statuses = await flood(JSON.parse(process.argv[2] ?? ''));
  process.send?.({ statuses }, () => process.exit()); // whatever connections are still open
}
