import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { keepRunning } from '#local/process/keep-running.ts';
import { requireReady, startSystem } from '#local/system.ts';
import { type CreatedGuide, call, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { test as systemTest } from '#test/fixtures/system.ts';

/** The processes as `npm start` starts them; everything over HTTP. */

/** Says each file of OpenTelemetry that a process loads. */
const TELL_WHAT_IS_LOADED = `import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    const found = next(name, context);
    if (/otel|opentelemetry/.test(found.url)) process._rawDebug('loaded ' + found.url);
    return found;
  } });`;

const test = systemTest
  /** It is not traced, though a collector is named. */
  .extend('system', { scope: 'file' }, async ({ systemOptions }, { onCleanup }) => {
    vi.stubEnv('NODE_OPTIONS', `--import data:text/javascript,${encodeURIComponent(TELL_WHAT_IS_LOADED)}`);
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:9');
    vi.stubEnv('OTEL_SDK_DISABLED', 'true');
    const system = await startSystem(systemOptions).finally(() => vi.unstubAllEnvs());
    onCleanup(() => system.stop());
    return system;
  })
  .extend('logOf', { scope: 'file' }, ({ folder }) => (service: string) => {
    return readFileSync(join(folder, `${service}.log`), 'utf8');
  });

describe('the main job', () => {
  let guides: CreatedGuide[];

  test('creates three guides in one request', async ({ demo }) => {
    guides = await demo.created(minimalGuide(), fullGuide(), minimalGuide({ DestinoCode: 'PUE01' }));
    expect(guides.map((guide) => guide.SEND_SUCU_DEST)).toEqual(['MEX01', 'MTY01', 'PUE01']);
  });

  test('prints all their labels at once, and a reader decodes every code', async ({ demo }) => {
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
        const tracking = `${demo.url}/rastreo/${number}`;
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
});

describe('the processes', () => {
  test('load nothing of OpenTelemetry but its API, unless they are traced', ({ logOf }) => {
    for (const service of ['api', 'branches', 'label-worker']) {
      const loaded = logOf(service).match(/^loaded .*/gm) ?? [];
      expect(loaded).not.toEqual([]); // or the hook tells nothing
      expect(loaded.filter((url) => !url.includes('/@opentelemetry/api/'))).toEqual([]);
    }
  });

  test('are started again when they die, which the terminal and the log say', async ({ system }) => {
    const { dashboard } = system.processes;
    const lines: string[] = [];
    onTestFinished(keepRunning(dashboard, (line) => lines.push(line)));
    dashboard.kill('SIGKILL');
    await dashboard.ended;
    await expect.poll(() => requireReady(system.addresses.dashboard).catch(() => false)).toBe(true);
    const line = 'dashboard ended (signal SIGKILL), starting it again in 1 s.';
    expect(lines).toEqual([`${line} Its log: ${dashboard.logFile}`]);
    expect(readFileSync(dashboard.logFile, 'utf8')).toContain(`${line}\n`);
  });

  test('end in time when they are asked to, and leave none behind', async ({ system }) => {
    await system.stop();
    const { dashboard: _, ...others } = system.processes; // the test before has killed that one
    for (const { ended } of Object.values(others)) expect((await ended).exitCode).toBe(0);
    await expect(call(`${system.addresses.api}/health/live`)).rejects.toThrow();
  });
});
