import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { type OwnedProcess, startProcess } from '#local/process/owned-process.ts';
import { requireReady, serviceSettings } from '#local/system.ts';
import { codeBlocks } from '#test/api/manual/code-blocks.ts';
import { startLosingProxy } from '#test/examples/losing-proxy.ts';
import { startBalancer } from '#test/faults/system/balancer.ts';
import { Part } from '#test/faults/system/part.ts';
import { Client } from '#test/fixtures/client.ts';
import { test as systemTest } from '#test/fixtures/system.ts';
import { run } from './clients.ts';
import { startUnwilling } from './unwilling-service.ts';

type Command = [program: string, ...args: string[]];

/** A package that is installed in a folder, and the programs that use it. */
export type Installed = {
  /** Run the programs of `programs`. */
  day: Command;
  retries: Command;
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
  manifest: string[];
  /** Whether its pick-up was listed, and its states before and after it was cancelled. */
  pickup: unknown[];
  /** Guides of the events, from the webhook and from the feed. */
  heard: string[];
  fed: string[];
  /** How files begin. */
  files: Record<string, string>;
  refusals: Record<string, { status: number; codigo: string; fields: string[]; hasRequestId: boolean }>;
};

/** Tests the package of one language, on what `npm start` runs. */
export function aDayOfTheClient(
  language: string,
  provide: (given: { document: string; folder: string }) => Promise<Installed>,
): void {
  const test = systemTest
    .extend('api', { scope: 'file' }, ({ system }) => system.addresses.api)
    .extend('key', { scope: 'file' }, async ({ api }) => (await Client.login(api)).newKey())
    .extend('installed', { scope: 'file' }, async ({ api, folder }) => {
      const document = join(folder, 'openapi.json');
      await writeFile(document, await (await fetch(`${api}/api/openapi.json`)).text());
      return provide({ document, folder });
    })
    /** Starts a day's program. It creates guides until `enough` is called, but at least so many. */
    .extend('startDay', ({ installed, key }) => (url: string, name: string, guides: number) => {
      const [program, ...args] = installed.day;
      const env = { ...process.env, API_URL: url, LLAVE: key, DAY: name, GUIDES: String(guides) };
      const child = spawn(program, args, { cwd: installed.cwd, env });
      onTestFinished(() => void child.kill());
      const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
      return {
        /** Resolves when the first guides are created, or nothing more will be. */
        begun: Promise.race([once(child.stdout, 'data'), ended]),
        enough: () => void child.stdin.end(),
        async end(): Promise<Day> {
          const [output, errors, [code]] = await ended;
          if (code !== 0) throw new Error(`${output}\n${errors}`);
          return JSON.parse(output.slice(output.indexOf('{')));
        },
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
    expect(stored).toEqual(Object.entries(day.created).sort()); // no guide is lost, none made twice
    const numbers = Object.values(day.created).sort();
    expect(day.listed.sort()).toEqual(numbers);
    expect(day.manifest).toEqual(Object.values(day.created).slice(1, 100));
    expect(day.pickup).toEqual([true, 'Solicitada', 'Cancelada']);
    expect([new Set(day.heard), day.fed]).toEqual([new Set([day.cancelled]), [day.cancelled]]);
    const PDF = '%PDF-';
    expect(day.files).toEqual({ single: PDF, many: PDF, manifest: PDF, zpl: '^XA' });
    expect(day.refusals).toEqual({
      unknown: { status: 404, codigo: 'guia_no_encontrada', fields: ['guia'], hasRequestId: true },
      wrong: {
        status: 400,
        codigo: 'campo_requerido',
        fields: ['Remitente.Nombre', 'Destinatario.Nombre'],
        hasRequestId: true,
      },
      stranger: { status: 401, codigo: 'acceso_denegado', fields: [], hasRequestId: true },
    });
  }

  describe(`the client for ${language}`, { timeout: 180_000 }, () => {
    test('runs as the guide shows it', async ({ api, key, installed }) => {
      const { cwd, chapter } = installed;
      const page = await (await fetch(`${api}/api/docs/cliente`)).text();
      const block = codeBlocks(page).find((each) => each.includes(chapter.line));
      await writeFile(join(cwd, chapter.file), block ?? `no program has ${chapter.line}`);
      const [program, ...args] = chapter.command;
      await run(program, args, cwd, { LLAVE: key });
      expect((await readFile(join(cwd, 'guia.pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
    });

    test('repeats what the guide says, by the same names', async ({ installed }) => {
      const service = await startUnwilling();
      onTestFinished(service.close);
      const [program, ...args] = installed.retries;
      const { stdout } = await run(program, args, installed.cwd, { API_URL: service.url, LLAVE: 'gk_test_' });
      expect(JSON.parse(stdout)).toEqual({
        creation: 'MX1',
        busy: 503,
        tomorrow: 429,
        wrong: 400,
        webhook: 0,
        'refused webhook': 'hook',
        played: 503,
      });
      const times = Object.fromEntries([...service.asked].map(([path, requests]) => [path, requests.length]));
      expect(times).toEqual({
        '/api/guias/crear': 4,
        '/api/guias/busy': 5,
        '/api/guias/tomorrow': 1,
        '/api/guias/wrong': 1,
        '/api/webhooks': 3, // a lost one, and one that was refused at first
        '/api/guias/played/simular': 1,
      });
      const names = service.asked
        .get('/api/guias/crear')
        ?.map((headers) => [headers['idempotency-key'], headers['x-request-id']]);
      expect(new Set(names?.map(String)).size).toBe(1);
      expect(names?.[0]?.every(Boolean)).toBe(true);
    });

    test('does a whole day though answers are lost', async ({ api, startDay, storedOf }) => {
      const proxy = await startLosingProxy(api);
      onTestFinished(proxy.close);
      const day = startDay(proxy.url, 'lost', 4);
      day.enough();
      expectWhole(await day.end(), await storedOf('lost'));
      expect(proxy.asked.get('/api/guias/crear')).toBe(3); // of two guides each, and one was lost
      expect(proxy.asked.get('/api/guias/etiquetas')).toBe(3);
    });

    test('does a whole day while the apis are replaced one after the other', async ({
      system,
      systemOptions,
      folder,
      startDay,
      storedOf,
    }) => {
      const { addresses, processes } = system;
      const port = await freePort();
      const second = startProcess({
        name: 'second api',
        command: [process.execPath, join(repoRoot, 'services/api/main.ts')],
        env: { ...process.env, ...serviceSettings(systemOptions, addresses).api, PORT: String(port) },
        logFile: join(folder, 'second-api.log'),
        stopTimeoutMs: 25_000, // longer than a service's own deadline
      });
      const apis = [partOf(processes.api, addresses.api), partOf(second, `http://127.0.0.1:${port}`)];
      onTestFinished(async () => {
        for (const api of apis) await api.end();
      });
      for (const api of apis) await api.start();
      const balancer = await startBalancer(apis.map(({ url }) => Number(new URL(url).port)));
      onTestFinished(balancer.close);
      const url = `http://127.0.0.1:${balancer.port}`;
      await expect.poll(() => requireReady(url).catch(() => false)).toBe(true);
      const day = startDay(url, 'rolling', 100);
      await day.begun;
      for (const api of apis) {
        await api.terminate();
        await api.start();
      }
      day.enough();
      expectWhole(await day.end(), await storedOf('rolling'));
    });
  });
}

function partOf(api: OwnedProcess, url: string): Part {
  return new Part([api], () => requireReady(url), url);
}
