import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished } from 'vitest';
import { DEMO_PASSWORD } from '#local/demo-data.ts';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { type OwnedProcess, startProcess } from '#local/process/owned-process.ts';
import { requireReady, serviceSettings } from '#local/system.ts';
import { run as runAdmin } from '#services/api/cli.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { CUSTOMER_PERMISSIONS } from '#shared/rooms.ts';
import { codeBlocks } from '#test/api/manual/code-blocks.ts';
import { startLosingProxy } from '#test/examples/losing-proxy.ts';
import { startBalancer } from '#test/faults/system/balancer.ts';
import { Part } from '#test/faults/system/part.ts';
import { Client } from '#test/fixtures/client.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { test as systemTest } from '#test/fixtures/system.ts';
import { run } from './clients.ts';
import { startUnwilling } from './unwilling-service.ts';

const PICTURE = join(repoRoot, 'services/api/evidence/muestras/foto.jpg');

type Command = readonly [program: string, ...args: string[]];

/** A package that is installed in a folder, and the programs that use it. */
export type Installed = {
  /** Run the programs of `programs`. */
  day: Command;
  retries: Record<string, Command>;
  cwd: string;
  /** The line of the guide's program that imports it, where the program is to be written, and what runs it. */
  chapter: { line: string; file: string; command: Command };
};

/** What a day's program says at its end. */
type Day = {
  /** Reference and number of each guide that the program got an answer for. */
  created: Record<string, string>;
  listed: string[];
  cancelled: string;
  /** Those that are handed over, and delivered. */
  manifest: string[];
  /** Reference and number of each return. */
  returns: Record<string, string>;
  /** Whether a pick-up was listed, its states before and after it was cancelled, and that of the next one after its scan. */
  pickups: unknown[];
  /** Of what scanners sent. */
  refused: unknown[];
  /** Guides of the events, from the webhook, and from the feed by their types. */
  heard: string[];
  fed: Record<string, string[]>;
  pictures: string[];
  /** How files begin, and pages and labels of the links of returns. */
  files: Record<string, string>;
  printed: string[];
  /** In centavos, as all amounts. `movements`: how many of the first remittance, and their sum. */
  money: { due: number; collected: number; differing: number; movements: number[]; remittances: number[] };
  /** In the order of their creation. */
  prices: { guides: number[]; returns: number[] };
  refusals: Record<string, { status: number; codigo: string; fields: string[]; hasRequestId: boolean }>;
};

/**
 * Tests the package of one language, on what `npm start` runs.
 *
 * @param installer whose command in the guide installs it by its address.
 */
export function aDayOfTheClient(
  language: string,
  installer: 'npm' | 'pip',
  provide: (address: string, folder: string) => Promise<Installed>,
): void {
  const test = systemTest
    .extend('api', { scope: 'file' }, ({ system }) => system.addresses.api)
    .extend('key', { scope: 'file' }, async ({ api }) => (await Client.login(api)).newKey())
    .extend('blocks', { scope: 'file' }, async ({ api }) =>
      codeBlocks(await (await fetch(`${api}/api/docs/cliente`)).text()),
    )
    .extend('installed', { scope: 'file' }, ({ blocks, folder }) => {
      const start = `${installer} install `;
      const command = blocks.find((block) => block.startsWith(start)) ?? '';
      return provide(command.slice(start.length).trim(), folder);
    })
    .extend('scanner', { scope: 'file' }, async ({ api }) => (await Client.login(api, 'escaner')).newKey())
    /** Creates an account with this name. */
    .extend('newShop', { scope: 'file' }, ({ api, stores }) => async (name: string) => {
      const newUser = await userMaker(new UserStore(stores.mongo), DEMO_PASSWORD);
      await newUser(name, { permissions: [...CUSTOMER_PERMISSIONS], originBranch: 'MEX01' });
      return Client.login(api, name, DEMO_PASSWORD);
    })
    /** Starts a day's program. It creates guides until `enough` is called, but at least so many. */
    .extend(
      'startDay',
      ({ installed, scanner }) =>
        (url: string, name: string, guides: number, key: string) => {
          const [program, ...args] = installed.day;
          const own = {
            API_URL: url,
            LLAVE: key,
            DAY: name,
            GUIDES: String(guides),
            SCANNER: scanner,
            PICTURE,
          };
          const child = spawn(program, args, { cwd: installed.cwd, env: { ...process.env, ...own } });
          onTestFinished(() => void child.kill());
          const [exited, errors] = [once(child, 'close'), text(child.stderr)];
          let output = '';
          child.stdout.setEncoding('utf8').on('data', (chunk) => {
            output += chunk;
          });
          const failure = async () => new Error(`${output}\n${await errors}`);
          const said = async (words: string) => {
            while (!output.includes(words)) {
              if (child.exitCode !== null) throw await failure();
              await Promise.race([once(child.stdout, 'data'), exited]);
            }
          };
          return {
            /** Resolves when the first guides are created. */
            begun: () => said('created two'),
            enough: () => void child.stdin.write('enough\n'),
            /** Resolves when all is delivered that will be. */
            delivered: () => said('delivered'),
            /** Lets the program read what it was paid. */
            async end(): Promise<Day> {
              child.stdin.end();
              const [code] = await exited;
              if (code !== 0) throw await failure();
              return JSON.parse(output.slice(output.indexOf('{')));
            },
          };
        },
    )
    .extend('admin', { scope: 'file' }, ({ stores }) => (args: string[]) => {
      const env = { MONGODB_URI: stores.mongoUri, TIME_ZONE: 'America/Mexico_City', OPERATOR: 'ana' };
      return runCommand(runAdmin, args, { env });
    })
    /** Pays an account what was collected for it, as an operator does. @returns how much, in centavos. */
    .extend('pay', ({ admin }) => async (name: string) => {
      const until = localTime(1_000);
      const args = ['cobros', 'pagar', '--account', name, '--hasta', until];
      await expect.poll(async () => (await admin(args)).code, { timeout: 10_000 }).toBe(0);
      const [, row = ''] = (await admin(args)).out.split('\n');
      return centavosOf(row.split(',')[1]);
    })
    /** Returns what the carrier charges an account this month, in centavos. */
    .extend('bill', ({ admin }) => async (name: string) => {
      const month = localTime().slice(0, 7);
      const { out } = await admin(['usage', '--month', month, '--account', name]);
      const [head = [], row = []] = out
        .replace('\ufeff', '')
        .split('\n')
        .map((line) => line.split(','));
      const of = (column: string) => row[head.indexOf(column)] ?? '';
      return {
        ...{
          guides: Number(of('Guias')),
          cancelled: Number(of('Canceladas')),
          delivered: Number(of('Entregadas')),
        },
        ...{ total: centavosOf(of('Total')), cancelledTotal: centavosOf(of('TotalCanceladas')) },
        others: [of('Ajustes'), of('SinPrecio'), of('PorCotizar'), of('SinTarifa')].map(Number),
      };
    })
    /** Returns reference and number of the guides of a day that are stored, in the order of their references. */
    .extend('storedOf', ({ stores }) => async (name: string) => {
      const found = stores.mongo.collection<{ _id: string; guide: { Referencia: string } }>('guides');
      const stored = await found.find({ 'guide.Referencia': new RegExp(`^${name}-`) }).toArray();
      return stored.map(({ _id, guide }) => [guide.Referencia, _id]).sort();
    });

  /** What holds of every day, whatever happens to the service meanwhile. */
  function expectWhole(day: Day, stored: string[][]): void {
    const numbers = Object.values(day.created);
    // No guide is lost, none made twice, and no return either.
    const all = [...Object.entries(day.created), ...Object.entries(day.returns)];
    expect(stored).toEqual(all.toSorted());
    expect(day.listed.toSorted()).toEqual(numbers.toSorted());
    expect(day.manifest).toEqual(numbers.slice(1, 100));
    expect(day.refused).toEqual([]);
    expect(day.pickups).toEqual([true, 'Solicitada', 'Cancelada', 'Recolectada']);
    const [scanned = ''] = Object.values(day.returns);
    // The first that is delivered has pictures, and an amount that was a mistake at first.
    const [proven = ''] = day.manifest;
    const fed = Object.entries(day.fed).map(([type, guides]) => [type, guides.toSorted()]);
    expect(Object.fromEntries(fed)).toEqual({
      Cancelacion: [day.cancelled],
      Recolectado: [...day.manifest, scanned].toSorted(),
      Entregado: [proven, ...day.manifest].toSorted(),
      Anulacion: [proven],
      Evidencia: [proven, proven, proven],
    });
    expect(new Set(day.heard)).toEqual(new Set(Object.values(day.fed).flat()));
    expect(day.pictures).toEqual(['firma', 'foto1', 'foto2']);
    const PDF = '%PDF-';
    expect(day.printed).toEqual(['<!doc', PDF, '<!doc', PDF]);
    const files = { single: PDF, many: PDF, manifest: PDF, zpl: '^XA', picture: 'ffd8ff', proof: PDF };
    expect(day.files).toEqual(files);
    expect(day.refusals).toEqual({
      unknown: { status: 404, codigo: 'guia_no_encontrada', fields: ['guia'], hasRequestId: true },
      wrong: {
        status: 400,
        codigo: 'campo_requerido',
        fields: ['Remitente.Nombre', 'Destinatario.Nombre'],
        hasRequestId: true,
      },
      stranger: { status: 401, codigo: 'acceso_denegado', fields: [], hasRequestId: true },
      unpaid: { status: 404, codigo: 'liquidacion_no_encontrada', fields: [], hasRequestId: true },
    });
  }

  /** That all amounts of a day are equal to the centavo, with what the carrier has paid and what it charges. */
  function expectMoney(day: Day, paid: number, bill: object): void {
    const places = Object.keys(day.created).map((_, place) => place);
    const cash = places.slice(1, 100).filter((place) => place % 5 === 1);
    const due = cash.reduce((sum, place) => sum + 10_001 + 107 * place, 0);
    // The mistake, and what takes it back.
    const movements = [cash.length + 2, due];
    expect(paid).toBe(due);
    expect(day.money).toEqual({ due, collected: due, differing: 0, movements, remittances: [due] });
    const [{ guides, returns }, delivered] = [day.prices, day.manifest.length];
    const [scanned = 0] = returns;
    expect([...guides, ...returns].every((price) => price > 0)).toBe(true);
    expect(bill).toEqual({
      ...{ guides: guides.length + 1, cancelled: 1, delivered, cancelledTotal: guides[0] },
      total: guides.reduce((sum, price) => sum + price, scanned),
      others: [0, 0, 0, 0],
    });
  }

  describe(`the client for ${language}`, { timeout: 300_000 }, () => {
    test('runs as the guide shows it', async ({ blocks, key, installed }) => {
      const { cwd, chapter } = installed;
      const block = blocks.find((each) => each.includes(chapter.line));
      await writeFile(join(cwd, chapter.file), block ?? `no program has ${chapter.line}`);
      const [program, ...args] = chapter.command;
      await run(program, args, cwd, { LLAVE: key });
      expect((await readFile(join(cwd, 'guia.pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
    });

    test('repeats what the guide says, by the same names', async ({ installed }) => {
      for (const command of Object.values(installed.retries)) await expectRetries(command, installed.cwd);
    });

    async function expectRetries([program, ...args]: Command, cwd: string): Promise<void> {
      const service = await startUnwilling();
      onTestFinished(service.close);
      const { stdout } = await run(program, args, cwd, { API_URL: service.url, LLAVE: 'gk_test_' });
      expect(JSON.parse(stdout)).toEqual({
        address: "La dirección del servicio empieza con https:// o http://, y esta no: 'guias.example'",
        'no number': "No es el nombre de nada: ''",
        creation: 'MX1',
        busy: 'OK',
        later: 503,
        tomorrow: 429,
        expired: 'OK',
        wrong: 400,
        webhook: 0,
        'refused webhook': 'hook',
        played: 503,
      });
      const times = Object.fromEntries([...service.asked].map(([path, requests]) => [path, requests.length]));
      expect(times).toEqual({
        '/api/guias/crear': 4,
        '/api/guias/busy': 6,
        '/api/guias/later': 2, // at once, and before its deadline
        '/api/guias/tomorrow': 1,
        '/api/auth/login': 2,
        '/api/guias/expired': 2,
        '/api/guias/wrong': 1,
        '/api/webhooks': 3, // a lost one, and one that was refused at first
        '/api/guias/played/simular': 1,
      });
      const [login] = service.asked.get('/api/auth/login') ?? [];
      expect(Buffer.from(String(login?.['x-password']), 'latin1').toString()).toBe('señal€');
      const names = service.asked
        .get('/api/guias/crear')
        ?.map((headers) => [headers['idempotency-key'], headers['x-request-id']]);
      expect(new Set(names?.map(String)).size).toBe(1);
      expect(names?.[0]?.every(Boolean)).toBe(true);
    }

    test('does a whole day though answers are lost', async ({
      api,
      bill,
      newShop,
      pay,
      startDay,
      storedOf,
    }) => {
      const proxy = await startLosingProxy(api);
      onTestFinished(proxy.close);
      const shop = await newShop('lost');
      const day = startDay(proxy.url, 'lost', 4, await shop.newKey());
      day.enough();
      await day.delivered();
      const paid = await pay('lost');
      const whole = await day.end();
      expectWhole(whole, await storedOf('lost'));
      expectMoney(whole, paid, await bill('lost'));
      expect(proxy.asked.get('/api/guias/crear')).toBe(3); // of two guides each, and one was lost
      expect(proxy.asked.get('/api/guias/etiquetas')).toBe(3);
    });

    test('does a whole day while apis and label workers are replaced one after the other', async ({
      system,
      systemOptions,
      folder,
      bill,
      newShop,
      pay,
      startDay,
      storedOf,
    }) => {
      const { addresses, processes } = system;
      const settings = serviceSettings(systemOptions, addresses);
      const startSecond = async (name: 'api' | 'label-worker') => {
        const port = await freePort();
        const second = startProcess({
          name: `second ${name}`,
          command: [process.execPath, join(repoRoot, `services/${name}/main.ts`)],
          env: { ...process.env, ...settings[name], PORT: String(port) },
          logFile: join(folder, `second-${name}.log`),
          stopTimeoutMs: 25_000, // longer than a service's own deadline
        });
        return partOf(second, `http://127.0.0.1:${port}`);
      };
      const apis = [partOf(processes.api, addresses.api), await startSecond('api')];
      const workers = [
        partOf(processes['label-worker'], addresses['label-worker']),
        await startSecond('label-worker'),
      ];
      const parts = [...apis, ...workers];
      onTestFinished(async () => {
        for (const part of parts) await part.end();
      });
      for (const part of parts) await part.start();
      const replaceAll = async () => {
        for (const part of parts) {
          await part.terminate();
          await part.start();
        }
      };
      const balancer = await startBalancer(apis.map(({ url }) => Number(new URL(url).port)));
      onTestFinished(balancer.close);
      const url = `http://127.0.0.1:${balancer.port}`;
      await expect.poll(() => requireReady(url).catch(() => false)).toBe(true);
      const shop = await newShop('rolling');
      const day = startDay(url, 'rolling', 50, await shop.newKey());
      await day.begun();
      await replaceAll();
      day.enough();
      await Promise.all([replaceAll(), day.delivered()]);
      const paid = await pay('rolling');
      const whole = await day.end();
      expectWhole(whole, await storedOf('rolling'));
      expectMoney(whole, paid, await bill('rolling'));
    });
  });
}

/** Local time of America/Mexico_City, which has no summer time, a moment from now. */
function localTime(ms = 0): string {
  return new Date(Date.now() - 6 * 3_600_000 + ms).toISOString().slice(0, 19);
}

function centavosOf(pesos = ''): number {
  return Math.round(100 * Number(pesos));
}

function partOf(api: OwnedProcess, url: string): Part {
  return new Part([api], () => requireReady(url), url);
}
