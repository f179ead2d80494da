import { describe, expect } from 'vitest';
import { readPng, readZpl } from '#test/fixtures/labels/images.ts';
import { printingTest as test } from '#test/fixtures/services.ts';

/** Labels as PNG and ZPL over HTTP (docs/contract.md "Labels"). */

const PDF = 'application/pdf';
const PNG = 'image/png';
const ZPL = 'application/zpl';

describe('Accept', () => {
  test.for<[accept: string, type: string]>([
    ['', PDF],
    ['*/*', PDF],
    ['image/png', PNG],
    ['application/zpl; q=0.5, image/png; q=0.4', ZPL],
    ['application/pdf; q=0, */*', PNG],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/png,image/svg+xml,*/*;q=0.8', PDF],
  ])('"%s" gets %s', async ([accept, type], { demo, number }) => {
    const { status, headers } = await demo.pdf(`/api/guias/etiqueta-pequena/${number}`, { accept });
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([200, type, 'Accept']);
  });

  test('gives way to the parameter', async ({ demo, number }) => {
    const answers = [
      await demo.pdf(`/api/guias/etiqueta-pequena/${number}?formato=zpl`, { accept: PNG }),
      await demo.pdf(`/api/guias/etiqueta-pequena/${number}?formato=pdf`, { accept: 'application/json' }),
    ];
    expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual([ZPL, PDF]);
  });
});

describe('a label', () => {
  test.for([
    ['etiqueta', '', [1728, 2236]],
    ['etiqueta-10x15', '-10x15', [799, 1200]],
    ['etiqueta-pequena', '-10x10', [799, 799]],
  ] as const)('of %s is a PNG and ZPL of its PDF', async ([route, suffix, size], { demo, number }) => {
    const path = `/api/guias/${route}/${number}`;
    const png = await demo.pdf(`${path}?formato=png`);
    const zpl = await demo.pdf(`${path}?formato=zpl`);
    const picture = readPng(png.bytes);
    expect([picture.width, picture.height]).toEqual(size);
    expect(readZpl(zpl.bytes).map(({ width, height }) => [width, height])).toEqual([size]);
    for (const [{ headers }, ending] of [
      [png, 'png'],
      [zpl, 'zpl'],
    ] as const) {
      expect(headers.get('content-disposition')).toBe(`inline; filename="guia-${number}${suffix}.${ending}"`);
      expect(headers.get('cache-control')).toBe('private');
    }
  });

  test('has an ETag for each format, and 304 for it', async ({ demo, number }) => {
    const path = `/api/guias/etiqueta-10x15/${number}`;
    const formats = [
      'formato=pdf',
      'formato=png',
      'formato=zpl',
      'formato=png&dpi=300',
      'formato=zpl&dpi=300',
    ];
    const answers = await Promise.all(formats.map((format) => demo.pdf(`${path}?${format}`)));
    const etags = answers.map(({ headers }) => headers.get('etag') ?? '');
    expect(new Set(etags).size).toBe(formats.length);
    const named = await demo.pdf(path, { accept: PNG, 'if-none-match': etags[1] ?? '' });
    expect([named.status, named.bytes.length, named.headers.get('vary')]).toEqual([304, 0, 'Accept']);
    expect((await demo.pdf(path, { accept: PNG, 'if-none-match': etags[0] ?? '' })).status).toBe(200);
    expect((await demo.pdf(`${path}?formato=pdf&dpi=300`)).headers.get('etag')).toBe(etags[0]);
  });
});
