import { describe, expect } from 'vitest';
import { type Client, minimalGuide } from '#test/fixtures/client.ts';
import {
  type Area,
  checkPdf,
  codesOf,
  HEAD_DPI,
  type Picture,
  pagesOf,
} from '#test/fixtures/labels/pictures.ts';
import { printingTest as test } from '#test/fixtures/services.ts';

/** Dots of 1/8 mm, as those of the pictures. */
const mm = (millimetres: number) => millimetres * 8;
/** The stock: labels of 101.6 × 127 mm on a letter, with margins of 6.35 and 12.7 mm. */
const STOCK = { width: mm(101.6), height: mm(127), left: mm(6.35), top: mm(12.7) };
/** Half a millimetre. */
const TOLERANCE = mm(0.5);
const LABEL = mm(100);

async function numbersOf(client: Client, count: number, packages = 1): Promise<string[]> {
  const guide = minimalGuide();
  const Producto = { ...guide.Producto, Paquetes: packages };
  const guides = await client.created(...Array.from({ length: count }, () => ({ ...guide, Producto })));
  return guides.map(({ SEND_GUIA }) => SEND_GUIA);
}

/** Returns the corner at which a label of 100 mm stands amid the stock's label at a place, from 1. */
function cornerAt(place: number): { x: number; y: number } {
  const [column, row] = [(place - 1) % 2, Math.floor((place - 1) / 2)];
  const x = STOCK.left + column * STOCK.width + (STOCK.width - LABEL) / 2;
  return { x, y: STOCK.top + row * STOCK.height + (STOCK.height - LABEL) / 2 };
}

/** Where a label has its QR code and its bars. */
const CODES: Area[] = [
  [550, 82, 220, 206],
  [150, 636, 500, 104],
];

/** Returns which dots of an area are black; letters have grey edges, codes have none. */
function dotsIn({ width, pixels }: Picture, [left, top, columns, rows]: Area): string[] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, x) =>
      (pixels[(top + row) * width + left + x] ?? 255) > 127 ? ' ' : '#',
    ).join(''),
  );
}

/** Returns the first and last column and row with ink in a quarter of a sheet. */
function inkIn({ width, height, pixels }: Picture, place: number) {
  return inkOf({ width, height, pixels }, [
    ((place - 1) % 2) * (width >> 1),
    Math.floor((place - 1) / 2) * (height >> 1),
    width >> 1,
    height >> 1,
  ]);
}

function inkOf({ width, height, pixels }: Picture, [left, top, columns, rows]: Area) {
  const ink = { left: width, top: height, right: -1, bottom: -1 };
  for (let y = top; y < top + rows; y++) {
    for (let x = left; x < left + columns; x++) {
      if ((pixels[y * width + x] ?? 255) > 127) continue;
      ink.left = Math.min(ink.left, x);
      ink.right = Math.max(ink.right, x);
      ink.top = Math.min(ink.top, y);
      ink.bottom = Math.max(ink.bottom, y);
    }
  }
  return ink;
}

describe('labels on sheets of four', () => {
  test('stand on the places of the stock, and have each dot of the codes of labels alone', async ({
    demo,
  }) => {
    const numbers = await numbersOf(demo, 6);
    const { status, headers, bytes } = await demo.labelSheets(numbers, 3);
    expect([status, headers.get('content-disposition')]).toEqual([200, 'inline; filename="guias-6.pdf"']);
    await checkPdf(bytes);
    const sheets = await pagesOf(bytes, HEAD_DPI);
    // Letters: 215.9 × 279.4 mm.
    expect(sheets.map(({ width, height }) => [width, height])).toEqual([
      [1_728, 2_236],
      [1_728, 2_236],
    ]);
    const places = [
      ...[3, 4].map((place) => ({ sheet: 0, place })),
      ...[1, 2, 3, 4].map((place) => ({ sheet: 1, place })),
    ];
    for (const place of [1, 2]) expect(inkIn(sheets[0] as Picture, place).right).toBe(-1);
    for (const [i, { sheet, place }] of places.entries()) {
      const [alone] = await pagesOf(
        (await demo.pdf(`/api/guias/etiqueta-pequena/${numbers[i]}`)).bytes,
        HEAD_DPI,
      );
      const { width, height } = alone as Picture;
      const own = inkOf(alone as Picture, [0, 0, width, height]);
      const { x, y } = cornerAt(place);
      const ink = inkIn(sheets[sheet] as Picture, place);
      const [left, top] = [ink.left - own.left, ink.top - own.top];
      expect(Math.abs(left - x)).toBeLessThan(TOLERANCE);
      expect(Math.abs(top - y)).toBeLessThan(TOLERANCE);
      for (const [x, y, ...size] of CODES) {
        const placed = dotsIn(sheets[sheet] as Picture, [left + x, top + y, ...size]);
        expect(placed).toEqual(dotsIn(alone as Picture, [x, y, ...size]));
        expect(placed.join('')).toContain('#');
      }
    }
  });

  test.for([HEAD_DPI, 300])('are read, every code, at %i dpi', async (dpi, { demo }) => {
    const [parts = '', single = ''] = [...(await numbersOf(demo, 1, 4)), ...(await numbersOf(demo, 1))];
    const sheets = await pagesOf((await demo.labelSheets([parts, single], 4)).bytes, dpi);
    const labels = [`${parts}-01`, `${parts}-02`, `${parts}-03`, `${parts}-04`, `${single}-01`];
    const codes = (await codesOf(sheets)).map((found) => found.toSorted());
    const expected = (on: string[]) => [
      ...on.map((label) => `CODE-128:${label}`),
      ...on.map((label) => `QR-Code:https://rastreo.example/${label.slice(0, 12)}`),
    ];
    expect(codes).toEqual([labels.slice(0, 1), labels.slice(1)].map((on) => expected(on).toSorted()));
  });

  test('begin at the first place, and need what a label alone has printed', async ({ demo, stores }) => {
    const numbers = await numbersOf(demo, 2);
    const prints = () => stores.redis.zcard(`${stores.prefix}:labels:completed`);
    const before = await prints();
    expect((await demo.labelFile(numbers, 'pequena')).status).toBe(200);
    // A job completes a moment after its label is stored.
    await expect.poll(prints).toBe(before + 2);
    const [sheet] = await pagesOf((await demo.labelSheets(numbers)).bytes, HEAD_DPI);
    const filled = [1, 2, 3, 4].map((place) => inkIn(sheet as Picture, place).right > 0);
    expect(filled).toEqual([true, true, false, false]);
    expect(await prints()).toBe(before + 2);
  });
});

test.for<[fields: object, query: string, campo: string, message: string]>([
  [{ Hoja: 'carta-6' }, '', 'Hoja', "El campo 'Hoja' solo acepta: carta-4"],
  [{ Hoja: 4 }, '', 'Hoja', "El campo 'Hoja' debe ser texto (string), no un numero"],
  [{ Hoja: 'carta-4', Tipo: 'carta' }, '', 'Hoja', "El campo 'Hoja' solo va con Tipo pequena"],
  [{ Hoja: 'carta-4' }, '?formato=zpl', 'Hoja', "El campo 'Hoja' solo va con formato pdf"],
  [{ Hoja: 'carta-4', Desde: 5 }, '', 'Desde', "El campo 'Desde' debe ser un numero entero de 1 a 4"],
  [{ Hoja: 'carta-4', Desde: '3' }, '', 'Desde', "El campo 'Desde' debe ser un numero (number), no un texto"],
  [{ Desde: 2 }, '', 'Desde', "El campo 'Desde' solo va con Hoja"],
])('sheets are refused: %j%s', async ([fields, query, campo, message], { demo }) => {
  const body = { Guias: ['390458235877'], Tipo: 'pequena', ...fields };
  const answer = await demo.post(`/api/guias/etiquetas${query}`, body);
  expect([answer.status, answer.body.details]).toMatchObject([400, [{ campo, message }]]);
});
