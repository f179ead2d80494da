import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { SCENARIO_NAMES, type Scenario } from '#services/api/rehearsal/scenarios.ts';
import { STATES } from '#shared/guides/event-types.ts';
import { REASONS } from '#shared/tracking/reasons.ts';
import { Client, type CreatedGuide } from '#test/fixtures/client.ts';
import { readPng } from '#test/fixtures/labels/images.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { codesOf } from '#test/fixtures/labels/pictures.ts';
import { startReceiver } from '#test/fixtures/receiver.ts';
import { printingTest } from '#test/fixtures/services.ts';
import { startLosingProxy } from './losing-proxy.ts';

const SHOP = join(repoRoot, 'examples/tienda');
/** Fifty orders, with the dirt of a web shop's export and of a sheet that Excel saved. */
const ORDERS = ['pedidos-en-linea.csv', 'pedidos-mostrador.csv'].map((name) => join(SHOP, name));

/** Orders that a person must decide on, with the reason. */
const SET_ASIDE = `"pedido","motivo"
"M-214","Hay dos pedidos distintos con este número"
"W-1014","El campo 'Destinatario.RFC' debe tener 12 o 13 letras y digitos, como los escribe el SAT; No hay cobertura para el código postal: 22000"
"W-1015","El campo 'Destinatario.Nombre' admite hasta 120 caracteres"
"W-1017","El campo 'Destinatario.Nombre' es requerido"
"W-1018","Se requiere DestinoCode o CodigoPostal"
"W-1023","El campo 'Destinatario.RFC' debe tener 12 o 13 letras y digitos, como los escribe el SAT"
"W-1019","El campo 'Producto.Largo' es requerido; El campo 'Producto.Alto' es requerido; El campo 'Producto.Ancho' es requerido"
`;
const CREATED = 41;
/** What was corrected in some orders, by the program or by the service. */
const CORRECTED: Record<string, { Destinatario?: object; Producto?: object }> = {
  'W-1002': { Destinatario: { Telefono: '528150012290' }, Producto: { ValorDeclarado: 1250.5 } },
  'W-1003': { Destinatario: { Referencias: 'Portón verde, junto a la farmacia' } },
  'W-1004': { Destinatario: { CodigoPostal: '06600' } },
  'W-1006': { Destinatario: { Telefono: '8150016120' } },
  'W-1008': { Destinatario: { RFC: 'DAL080115AB1' } },
  'W-1010': { Destinatario: { Calle: 'Calle Morelos Oriente' } },
  'W-1011': { Producto: { Peso: 2.5 } },
  'W-1012': { Producto: { Peso: 0.35 } },
  'W-1016': {
    Destinatario: { Referencias: expect.stringMatching(/^La casa está .* antes de las dos de la$/) },
  },
  'W-1022': { Producto: { Contenido: 'Tijeras y reglas' } },
  'M-202': { Destinatario: { Nombre: 'Rubén Aguirre Tello', CodigoPostal: '06600' } },
  'M-204': { Producto: { Peso: 7.25, Largo: 105 } },
  'M-205': { Destinatario: { RFC: 'CJA0309057K2' }, Producto: { ValorDeclarado: 4310 } },
  'M-211': { Producto: { Peso: 0.45 } },
  'M-216': { Producto: { Paquetes: 2 } },
};
/** What could not be understood, and is left out. */
const LEFT_OUT = { 'W-1009': 'Email', 'W-1021': 'Telefono', 'W-1027': 'Numero_interior' };
/** What a guide is after each scenario. The shop has nothing collected on delivery. */
const ENDS: Record<Exclude<Scenario, 'cobro' | 'cobro_diferente'>, string> = {
  entrega: 'Entregado',
  entrega_con_firma: 'Entregado',
  sucursal: 'Entregado',
  ausente: 'Entregado',
  devolucion: 'Devuelto',
  extravio: 'Incidencia',
  correccion: 'Entregado',
  varios_paquetes: 'Entregado',
  desorden: 'Entregado',
  repeticion: 'Entregado',
  devolucion_anticipada: 'Entregado',
};

type StoredGuide = { guia: string; pedido: string; total: number; paquetes: number; ensayo: Scenario | null };
type StoredEvent = { guia: string; id: string; version: number; tipo: string; estatus: string };

/** Node drops the types, so the program needs no generator; test/clients/generated.clients.ts checks it by generated ones. */
const PROGRAM = join(SHOP, 'node/tienda.mts');

/** Labels lead to the api's own tracking page. */
const test = printingTest
  .extend('api', { scope: 'file' }, async ({ startApi, webhooks }) => {
    const port = await freePort();
    const tracking = `http://127.0.0.1:${port}/rastreo/{guia}`;
    return startApi({ PORT: String(port), TRACKING_URL: tracking, WEBHOOKS_URL: webhooks.url });
  })
  .extend('tester', { scope: 'file' }, ({ api }) => Client.login(api.url, 'prueba'))
  .extend('shop', { scope: 'file' }, async ({ api, folder, tester }) => {
    const env = { API: api.url, LLAVE: await tester.newKey(), PUERTO: String(await freePort()) };
    return new Shop(folder, env);
  });

describe('a day of the shop, each test after the one before', { timeout: 120_000 }, () => {
  test('documents the orders that a program can correct, once, though answers are lost', async ({
    api,
    shop,
    tester,
  }) => {
    const proxy = await startLosingProxy(api.url);
    onTestFinished(proxy.close);
    const said = await shop.run(['documentar', ...ORDERS], { API: proxy.url });
    expect(said).toContain("Aviso de W-1007: El campo 'Producto.Contenido' se imprime con • en vez de: 🎁");
    const aside = await readFile(join(shop.folder, 'por-revisar.csv'), 'utf8');
    expect(aside.replaceAll('\r\n', '\n')).toBe(SET_ASIDE);
    expect(proxy.asked.get('/api/guias/crear')).toBe(3); // of two services, and one was lost
    expect(await shop.run(['documentar', ...ORDERS])).toBe('');
    const listed = (await tester.get('/api/guias?limite=500')).body.data as CreatedGuide[];
    expect(listed.map(({ SEND_GUIA }) => SEND_GUIA).sort()).toEqual(
      shop
        .guides()
        .map(({ guia }) => guia)
        .sort(),
    );
    expect(listed).toHaveLength(CREATED);
    expect(listed.every(({ SEND_TOTAL }) => SEND_TOTAL > 0)).toBe(true);
  });

  test('has corrected what can be corrected', async ({ shop, tester }) => {
    const read = async (order: string) => (await tester.get(`/api/guias/${shop.guideOf(order)}`)).body.data;
    for (const [order, corrected] of Object.entries(CORRECTED))
      expect(await read(order)).toMatchObject(corrected);
    for (const [order, field] of Object.entries(LEFT_OUT)) {
      expect(await read(order)).not.toHaveProperty(['Destinatario', field]);
    }
  });

  test('prints all labels as one PDF, and one as PNG, which say that they are a rehearsal', async ({
    api,
    shop,
  }) => {
    const proxy = await startLosingProxy(api.url);
    onTestFinished(proxy.close);
    await shop.run(['imprimir'], { API: proxy.url });
    const pages = await readLabel(await readFile(join(shop.folder, 'etiquetas.pdf')));
    const packages = shop
      .guides()
      .flatMap(({ guia, paquetes }) => Array.from({ length: paquetes }, (_, i) => [`${guia}-0${i + 1}`]));
    expect(pages.map(({ code128 }) => code128)).toEqual(packages);
    for (const { qr, text } of pages) {
      expect(qr).toEqual([expect.stringContaining('/rastreo/0')]);
      expect(text).toMatch(/PRUEBA[\s\S]*NO ENVIAR/);
    }
    await shop.run(['imagen', 'W-1020']);
    const picture = readPng(await readFile(join(shop.folder, 'W-1020.png')));
    expect((await codesOf([picture]))[0]).toContain(`CODE-128:${shop.guideOf('W-1020')}-01`);
  });

  test('hears of each event once, by webhook and by feed, though its server was away', async ({
    shop,
    tester,
  }) => {
    const webhook = async () =>
      ((await tester.get('/api/webhooks')).body.data as { UltimoFallo: { Motivo: string } | null }[])[0];
    const heard = () => shop.events('tienda.db').length;
    const played = SCENARIO_NAMES.filter((name) => name in ENDS);
    const scenarios = [played.slice(0, 3), played.slice(3, 6), played.slice(6)];
    const [whileUp = [], whileBroken = [], whileAway = []] = scenarios;

    const first = await shop.receive();
    await shop.run(['ensayar', ...whileUp]);
    await expect.poll(heard).toBe(14);
    await shop.follow();
    await first.stop();

    const broken = await startReceiver(shop.port);
    broken.answer = (response) => void response.writeHead(500).end();
    const failure = async () => (await webhook())?.UltimoFallo?.Motivo;
    const playing = shop.run(['ensayar', ...whileBroken]);
    await expect.poll(failure).toBe('Respondio 500');
    await broken.close(); // before the second try: the third one comes a minute later
    await playing;
    await shop.run(['ensayar', ...whileAway]);
    await expect.poll(failure).toBe('No se pudo conectar');
    expect(heard()).toBe(14);

    shop.forgetSecret(); // as if the answer that had it was lost
    const second = await shop.receive();
    const happened = await shop.happened(tester);
    await expect.poll(heard).toBe(happened.length);
    await expect
      .poll(() => shop.follow().then((events) => events.length), { interval: 1_000 })
      .toBe(happened.length);
    const byFeed = await shop.follow();
    expect(shop.events('tienda.db')).toEqual(byFeed);
    expect(byFeed.map(({ guia, id }) => `${guia} ${id}`).sort()).toEqual(happened.sort());
    for (const [, events] of Map.groupBy(byFeed, ({ guia }) => guia)) {
      expect(events.map(({ version }) => version)).toEqual(events.map((_, i) => i + 1));
    }
    expect(first.said() + second.said() + shop.followed).not.toMatch(/[1-9]\d* repetidos/);
  });

  test('knows how each guide ended, the bad days too', async ({ shop, tester }) => {
    const events = shop.events('tienda.db');
    const played = shop.guides().filter(({ ensayo }) => ensayo);
    const ends = played.map(({ guia, ensayo }) => [
      ensayo,
      events.findLast((event) => event.guia === guia)?.estatus,
    ]);
    expect(Object.fromEntries(ends)).toEqual(ENDS);
    const [lost] = played.filter(({ ensayo }) => ensayo === 'extravio');
    expect(await shop.run(['problemas'])).toBe(`${lost?.pedido} ${lost?.guia}: extraviado\n`);
    expect(await (await fetch(`${tester.url}/rastreo/${lost?.guia}`)).text()).toContain(REASONS.extraviado);
  });

  test('cancels an order, and nobody else sees any of them', async ({ shop, tester, demo }) => {
    const guide = shop.guideOf('M-219');
    expect(await shop.run(['cancelar', 'M-219'])).toBe(`M-219 ${guide}: cancelada\n`);
    const found = await tester.get('/api/guias?referencia=M-219&estatus=Cancelado');
    expect(found.body.data).toMatchObject([{ SEND_GUIA: guide, Prueba: true }]);
    expect(await (await fetch(`${tester.url}/rastreo/${guide}`)).text()).toContain(STATES.Cancelado.title);
    const last = async () => (await shop.follow()).at(-1);
    await expect.poll(last, { interval: 1_000 }).toMatchObject({ guia: guide, estatus: 'Cancelado' });
    expect((await demo.get('/api/guias?limite=1')).body.data).toEqual([]);
  });
});

/** The shop's program and what it keeps. */
class Shop {
  readonly folder: string;
  /** What `seguir` has said. */
  followed = '';
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string, env: { API: string; LLAVE: string; PUERTO: string }) {
    this.folder = folder;
    this.#env = { ...process.env, ...env };
  }

  get port(): number {
    return Number(this.#env.PUERTO);
  }

  /** Runs the program to its end, and returns what it says. */
  async run(args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const options = { cwd: this.folder, env: { ...this.#env, ...env }, timeout: 100_000 };
    return (await promisify(execFile)(process.execPath, [PROGRAM, ...args], options)).stdout;
  }

  /** Follows the feed into a database of its own, and returns all that is in it. */
  async follow(): Promise<StoredEvent[]> {
    this.followed += await this.run(['seguir'], { BASE: 'eventos.db' });
    return this.events('eventos.db');
  }

  /** Starts to receive webhooks. */
  async receive() {
    const child = spawn(process.execPath, [PROGRAM, 'recibir'], { cwd: this.folder, env: this.#env });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece) => {
        text += piece;
      });
    }
    const stop = async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    };
    onTestFinished(stop);
    await expect.poll(() => text).toContain('Recibiendo');
    return { stop, said: () => text };
  }

  guides(): StoredGuide[] {
    return this.#rows('tienda.db', 'guias') as StoredGuide[];
  }

  guideOf(order: string): string {
    return this.guides().find(({ pedido }) => pedido === order)?.guia ?? `no guide of ${order}`;
  }

  events(database: string): StoredEvent[] {
    return this.#rows(database, 'eventos') as StoredEvent[];
  }

  forgetSecret(): void {
    const opened = new DatabaseSync(join(this.folder, 'tienda.db'), { timeout: 5_000 });
    opened.exec("DELETE FROM valores WHERE nombre = 'secreto'");
    opened.close();
  }

  /** Returns guide and id of all events, as the service has them of each guide. */
  async happened(tester: Client): Promise<string[]> {
    const played = this.guides().filter(({ ensayo }) => ensayo);
    const ids = played.map(async ({ guia }) => {
      const { data } = (await tester.get(`/api/guias/${guia}/eventos`)).body;
      return (data as { Id: string }[]).map(({ Id }) => `${guia} ${Id}`);
    });
    return (await Promise.all(ids)).flat();
  }

  /** Returns the rows of a table in the order in which they were written. */
  #rows(database: string, table: string): unknown[] {
    const opened = new DatabaseSync(join(this.folder, database), { readOnly: true, timeout: 5_000 });
    try {
      return opened
        .prepare(`SELECT * FROM ${table} ORDER BY rowid`)
        .all()
        .map((row) => ({ ...row }));
    } finally {
      opened.close();
    }
  }
}
