import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { generateSecrets } from '#local/secrets.ts';
import { type System, startSystem } from '#local/system.ts';
import { Client, type CreatedGuide, call, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { freshStores } from '#test/fixtures/old-services.ts';

// The processes as `npm start` starts them; everything over HTTP.
let stores: Awaited<ReturnType<typeof freshStores>>;
let logFolder: string;
let system: System;
let demo: Client;
beforeAll(async () => {
  stores = await freshStores();
  logFolder = await mkdtemp(join(tmpdir(), 'logs-'));
  system = await startSystem({
    mongoUri: stores.env.MONGODB_URI ?? '',
    redisUrl: inject('redisUrl'),
    redisPrefix: stores.prefix,
    chromiumPath: inject('chromiumPath'),
    secrets: generateSecrets(),
    logFolder,
  });
  demo = await Client.login(system.addresses.api);
});
afterAll(async () => {
  await system?.stop();
  await stores.close();
  await rm(logFolder, { recursive: true });
});

describe('the main job', () => {
  let guides: CreatedGuide[];

  it('creates three guides in one request', async () => {
    guides = await demo.created(minimalGuide(), fullGuide(), minimalGuide({ DestinoCode: 'PUE01' }));
    expect(guides.map((guide) => guide.SEND_SUCU_DEST)).toEqual(['MEX01', 'MTY01', 'PUE01']);
  });

  it('prints all their labels at once, and every code reads back from pixels', async () => {
    const labels = await Promise.all(
      guides.flatMap(({ SEND_GUIA }) => [
        demo.pdf(`/api/guias/etiqueta/${SEND_GUIA}`),
        demo.pdf(`/api/guias/etiqueta-pequena/${SEND_GUIA}?paquetes=2`),
      ]),
    );
    const pages = await Promise.all(labels.map(({ bytes }) => readLabel(bytes)));
    const codes = pages.map((label) => label.flatMap(({ qr, code128 }) => [...qr, ...code128]));
    expect(codes).toEqual(
      guides.flatMap(({ SEND_GUIA: number }) => {
        const tracking = `https://rastreo.example/${number}`;
        return [
          [tracking, number],
          [tracking, `${number}-01`, tracking, `${number}-02`],
        ];
      }),
    );
    const [letter, small] = pages;
    expect(letter?.map(({ width, height }) => [width, height])).toEqual([[612, 792]]);
    for (const { width, height } of small ?? []) {
      expect(Math.abs(width - 283.46)).toBeLessThan(0.6);
      expect(Math.abs(height - 283.46)).toBeLessThan(0.6);
    }
  });

  it('stops every service within its deadline, with nothing left behind', async () => {
    await system.stop();
    for (const { ended } of Object.values(system.processes)) expect((await ended).exitCode).toBe(0);
    await expect(call(`${system.addresses.api}/health/live`)).rejects.toThrow();
  });
});
