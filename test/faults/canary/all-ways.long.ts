import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { describe, expect, inject, vi } from 'vitest';
import { parseStatus } from '#local/drill/status-page.ts';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { requireReady } from '#local/system.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import type { Stores } from '#test/fixtures/stores.ts';
import { keepFigures } from '../clients/under-load.ts';
import { isSaid, SERVED, STARTED, test as watchedTest } from './watch.ts';

/** The canary of the system itself, whose dashboard asks it: faults of all ways in, hours without a fault, and what it leaves behind. */

/** For which "Estado" must say nothing, with customers and without, in minutes: 60 shows what a night does. */
const QUIET_MINUTES = Number(process.env.QUIET_MINUTES ?? 0.5);
vi.setConfig({ testTimeout: 600_000 + 60_000 * QUIET_MINUTES, hookTimeout: 300_000 });
/** Until the canary has handed over and cancelled, 40 s after its start. */
const TRIED = { timeout: 120_000, interval: 500 };
const HOUR_MS = 3_600_000;
/** Collections whose documents of the canary's go within a day. */
const GOES = ['creations', 'events', 'guides', 'manifests'];
const HOURS = 14 * 24;
/** Fields by which documents name themselves, each other, and their account. */
const OWN = ['account', 'Guia', 'id', 'number'];
/** Until MongoDB has deleted what has ended: it looks each minute. */
const EXPIRED = { timeout: 240_000, interval: 2_000 };
/** A label worker starts first: 30 s after that. */
const STARTS = { saidS: 60, goneS: 45 };
/** All indexes are looked at each minute. Labels fail at the same time. */
const INDEX = { saidS: 75, goneS: 75, isOneOfSeveral: true } as const;
const LOST = /^Falta el índice guides\.number_1 de manifests/;

type Stored = Record<string, unknown>;

const test = watchedTest
  .extend('estado', { scope: 'file' }, ({ room }) => Visitor.operator(room.addresses.dashboard))
  .extend('read', { scope: 'file' }, ({ estado }) => async () => {
    const { status, text } = await estado.page('/');
    return parseStatus(status, text);
  })
  /** What is stored by now, as `collection _id`. */
  .extend('stored', { scope: 'file' }, ({ stores }) => async () => {
    const { db } = stores.mongo;
    const all = new Map<string, Stored>();
    for (const { name } of (await db?.listCollections().toArray()) ?? []) {
      for await (const document of stores.mongo.collection(name).find())
        all.set(`${name} ${document._id}`, document);
    }
    return all;
  })
  /** What was stored before the first round. */
  .extend('before', { scope: 'file', auto: true }, async ({ read, stored }) => {
    const before = await stored();
    await vi.waitFor(async () => expect((await read()).customer).toMatch(SERVED), STARTED);
    return before;
  })
  .extend('worker', { scope: 'file' }, ({ room }) => {
    const worker = {
      now: room.processes['label-worker'],
      startAgain: async () => {
        worker.now = worker.now.startAgain();
        const isReady = () => requireReady(room.addresses['label-worker']);
        await waitUntilReady(worker.now, isReady, STARTED.timeout);
      },
    };
    return worker;
  })
  /** Starts one more label worker, with settings of its own. @throws Error with the end of its log if it does not become ready. */
  .extend('startWorker', { scope: 'file' }, ({ room, folder, closers }) => {
    return async (settings: NodeJS.ProcessEnv) => {
      const port = await freePort();
      const worker = startProcess({
        name: `label-worker ${port}`,
        command: [process.execPath, join(repoRoot, 'services/label-worker/main.ts')],
        env: { ...process.env, ...room.environments['label-worker'], ...settings, PORT: String(port) },
        logFile: join(folder, `label-worker-${port}.log`),
        stopTimeoutMs: 25_000,
      });
      closers.push(() => worker.stop());
      await waitUntilReady(worker, () => requireReady(`http://127.0.0.1:${port}`), STARTED.timeout);
      return worker;
    };
  });

test('nothing is said while nobody else calls', async ({ read }) => {
  await saysNothing(read);
});

test('two weeks of it leave a day of what it makes, and rows of the audit log', async ({
  before,
  stored,
  stores,
}) => {
  const made = async () => [...(await stored())].filter(([id]) => !before.has(id));
  const of = async (name: string) =>
    (await made()).filter(([id]) => id.startsWith(`${name} `)).map(([, document]) => document);
  // A step that is late, as on a busy machine, is made again after 15 s.
  const rows = async () => [...new Set((await of('audit')).map(({ action }) => action))].toSorted();
  const goes = ({ expiresAt, keptUntil }: Stored) =>
    Number(expiresAt ?? keptUntil) <= Date.now() + 24 * HOUR_MS;
  const staying = async () => {
    const stays = (await made()).filter(([, document]) => !goes(document));
    const names = stays.map(([id]) => id.split(' ')[0]);
    return names.filter((name) => name !== 'audit').toSorted();
  };
  await vi.waitFor(async () => {
    expect(await rows()).toEqual(['guide.cancel', 'login', 'webhook.create']);
    expect(await staying()).toEqual(['webhookSecrets', 'webhooks']);
  }, TRIED);
  const endless = await keysWithoutEnd(stores);

  // An hour has what it made since its start: each kind of a round and of a periodic check. A 401st day has ended in the audit log.
  for (const name of [...GOES, 'audit']) {
    const documents = await of(name);
    expect(documents.length).toBeGreaterThan(0);
    const hours = [...Array(HOURS).keys(), 401 * 24].map((hour) => hour + 1);
    const copies = hours.flatMap((hour) => documents.map((document) => asOfBefore(hour, document)));
    await stores.mongo.collection(name).insertMany(copies as never[], { ordered: false });
    const bytes = documents.reduce((sum, document) => sum + mongo.BSON.calculateObjectSize(document), 0);
    keepFigures({ collection: name, documents: documents.length, meanBytes: bytes / documents.length });
  }
  const left = async (name: string) => (await stores.mongo.collection(name).distinct('hour')).length;
  await vi.waitFor(async () => {
    for (const name of GOES) expect([name, await left(name)]).toEqual([name, 23]);
    expect(await left('audit')).toBe(HOURS);
  }, EXPIRED);
  await vi.waitFor(async () => expect(await staying()).toEqual(['webhookSecrets', 'webhooks']), TRIED);
  expect(await keysWithoutEnd(stores)).toEqual(endless);
});

test('nothing is said under a usual load', async ({ read, room }) => {
  const end = new AbortController();
  const use = async () => {
    while (!end.signal.aborted) {
      // A token lasts an hour.
      const demo = await Client.login(room.addresses.api);
      for (let guides = 0; guides < 100 && !end.signal.aborted; guides += 1) {
        const [guide] = await demo.created(minimalGuide());
        await demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
        await sleep(500);
      }
    }
  };
  const users = [use(), use()];
  await saysNothing(read).finally(() => end.abort());
  await Promise.all(users);
});

describe.concurrent('"Estado" says', () => {
  test('labels that nobody can use, and then none', async ({ read, worker, startWorker, folder }) => {
    const unread =
      /^El cliente de prueba no puede leer lo que dice su etiqueta .*: no dice el nombre, la calle$/;
    const unprinted = /^El cliente de prueba no puede imprimir etiquetas /;
    const instead = (settings: NodeJS.ProcessEnv) => async () => {
      await worker.now.stop();
      const other = await startWorker(settings);
      return async () => {
        await worker.startAgain();
        await other.stop();
      };
    };

    const hiding = instead({ LABEL_TEMPLATES: templatesWith(folder, 'visibility: hidden') });
    await isSaid({ read }, 'a template that hides the name and the street', unread, hiding, STARTS);

    // The machine has no fonts, as the image of the label worker has none.
    writeFileSync(join(folder, 'fonts.conf'), '<fontconfig></fontconfig>');
    const lacking = instead({
      LABEL_TEMPLATES: templatesWith(folder, 'font-family: Arial'),
      CHROMIUM_PATH: chromiumBy(folder, `FONTCONFIG_FILE='${folder}/fonts.conf' exec`),
    });
    await isSaid({ read }, 'a template that names a missing font', unread, lacking, STARTS);

    await isSaid({ read }, "the labels' own font is missing", unprinted, async () => {
      await worker.now.stop();
      const start = startWorker({ CHROMIUM_PATH: chromiumBy(folder, 'exec', '--disable-remote-fonts') });
      await expect(start).rejects.toThrow(/Chromium did not start .*NetworkError/s);
      return () => worker.startAgain();
    });

    await isSaid({ read }, 'no label worker', unprinted, () => {
      worker.now.kill('SIGKILL');
      return async () => {
        await worker.now.ended;
        await worker.startAgain();
      };
    });
  });

  test('a unique index that is gone, with two documents in its way', async ({ read, stores }) => {
    const manifests = stores.mongo.collection<{ _id: string; key?: object }>('manifests');
    const first = await vi.waitUntil(() => manifests.findOne(), TRIED);
    const { key: _, ...withoutKey } = first;
    // What a customer notices of it waits for its turn; the index itself is looked at each minute.
    const cause = async () => {
      await manifests.dropIndex('guides.number_1');
      await manifests.insertOne({ ...withoutKey, _id: `${first._id}0` });
      return () => manifests.deleteOne({ _id: `${first._id}0` });
    };
    await isSaid({ read }, 'a unique index that is gone', LOST, cause, INDEX);
  });
});

/**
 * Returns a document as the canary would have made it hours ago. Its ids and its account are its own: services do not take the copies for
 * what the canary makes meanwhile.
 */
function asOfBefore(hour: number, { _id, keptUntil, openSince: _, ...document }: Stored): Stored {
  const moved = (value: unknown): unknown => {
    if (value instanceof Date) return new Date(value.getTime() - hour * HOUR_MS);
    if (Array.isArray(value)) return value.map(moved);
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value).map(([field, each]) => [
      field,
      OWN.includes(field) ? `${hour}-${each}` : moved(each),
    ]);
    return Object.fromEntries(entries);
  };
  // The account's next event ends the stay of its last one.
  const whole = { ...document, ...(keptUntil ? { expiresAt: keptUntil } : {}) };
  return { ...(moved(whole) as Stored), _id: `${hour}-${_id}`, hour };
}

/**
 * Returns the keys in Redis, of the queue and of the labels, that have no end. Jobs are left out: the queue itself removes them within an
 * hour (test/api/labels/queue-cleaning.test.ts).
 */
async function keysWithoutEnd({ redis, cache, prefix }: Stores): Promise<string[]> {
  const found = [];
  for (const store of [redis, cache])
    for (const key of await store.keys(`${prefix.replace(/[{}]/g, '\\$&')}*`))
      if (!/:labels:\d+$/.test(key) && (await store.ttl(key)) === -1) found.push(key);
  return found.toSorted();
}

/** Makes a folder with our letter, in which the recipient's name and street have a style. */
function templatesWith(folder: string, style: string): string {
  const templates = mkdtempSync(join(folder, 'templates-'));
  const letter = readFileSync(join(repoRoot, 'services/label-worker/label/templates/letter.hbs'), 'utf8');
  const styled = letter
    .replace('{{#page', `<style>.styled { ${style} }</style>$&`)
    .replaceAll(/\{\{field recipient\.(?:name|streetName)[^}]*(?=\}\})/g, '$& class="styled"');
  writeFileSync(join(templates, 'letter.hbs'), styled);
  return templates;
}

/** Makes a program that starts Chromium. @param how the words of a shell before its path. */
function chromiumBy(folder: string, how: string, ...args: string[]): string {
  const program = join(mkdtempSync(join(folder, 'chromium-')), 'chromium');
  const line = `${how} '${inject('chromiumPath')}' "$@" ${args.join(' ')}`;
  writeFileSync(program, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return program;
}

async function saysNothing(
  read: () => Promise<{ headline: string; customer: string; lines: string[] }>,
): Promise<void> {
  const until = performance.now() + 60_000 * QUIET_MINUTES;
  while (performance.now() < until) {
    expect(await read()).toMatchObject({
      headline: 'Todo bien',
      customer: expect.stringMatching(/^El cliente de prueba hizo/),
      lines: [],
    });
    await sleep(500);
  }
}
