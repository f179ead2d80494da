import { describe, expect } from 'vitest';
import { type CreatedGuide, call, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { test } from '#test/fixtures/system.ts';

/** The processes as `npm start` starts them; everything over HTTP. */
describe('the main job', () => {
  let guides: CreatedGuide[];

  test('creates three guides in one request', async ({ demo }) => {
    guides = await demo.created(minimalGuide(), fullGuide(), minimalGuide({ DestinoCode: 'PUE01' }));
    expect(guides.map((guide) => guide.SEND_SUCU_DEST)).toEqual(['MEX01', 'MTY01', 'PUE01']);
  });

  test('prints all their labels at once, and a reader decodes every code from the pixels', async ({
    demo,
  }) => {
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

  test('stops every service in time, and leaves no process behind', async ({ system }) => {
    await system.stop();
    for (const { ended } of Object.values(system.processes)) expect((await ended).exitCode).toBe(0);
    await expect(call(`${system.addresses.api}/health/live`)).rejects.toThrow();
  });
});
