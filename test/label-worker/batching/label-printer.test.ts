import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { LabelPrinter } from '#services/label-worker/batching/label-printer.ts';
import { printUnderlays } from '#services/label-worker/batching/print-underlays.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { LABEL_KINDS } from '#shared/labels/label-kinds.ts';
import type { LabelPayload } from '#shared/labels/label-payload.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { label, mixedLabels } from '#test/fixtures/labels/labels.ts';
import { test as browserTest } from '#test/fixtures/labels/printing-browser.ts';

const test = browserTest
  /** What each print of the last printer was given. */
  .extend('prints', (): string[] => [])
  .extend('underlays', { scope: 'file' }, ({ printing }) => printUnderlays(printing.printHtml))
  /** Creates a printer with one print slot on the real browser; `fault` may throw in its place, or return another body. */
  .extend(
    'printer',
    ({ printing, underlays, prints }) =>
      (fault: (body: string) => string = (body) => body) => {
        prints.length = 0;
        const printHtml = async (body: string) => {
          prints.push(body);
          return printing.printHtml(fault(body));
        };
        const { tryPrint } = printing;
        return new LabelPrinter({ underlays, printHtml, tryPrint, concurrency: 1, maxLabels: 50 });
      },
  )
  .extend('printed', ({ printer }) => async (one: LabelPayload) => {
    return readLabel(Buffer.from(await printer().print(one)));
  });

const pdfinfo = (pdf: Uint8Array) => execFileSync('pdfinfo', ['-'], { input: pdf, encoding: 'utf8' });

test('a letter label is one page with the number and the tracking address', async ({ printed }) => {
  const [page, ...others] = await printed(label());
  expect(others).toEqual([]);
  expect(page).toMatchObject({
    width: 612,
    height: 792,
    code128: ['482913650724'],
    qr: ['https://rastreo.example/guia/482913650724'],
  });
});

test('a label whose texts have soft hyphens is printed without them', async ({ printed }) => {
  const [page] = await printed(label({ recipient: { Nombre: 'Luis\u00ad Pérez\u00ad\u00ad Mu\u00adñoz' } }));
  expect(page?.text).toContain('Luis Pérez Muñoz');
});

test('a letter label says all that its guide does', async ({ printed }) => {
  const [page] = await printed(label());
  for (const words of [
    'Envíos del Valle',
    '4829 1365 0724',
    'MEX01',
    'Ciudad de México Centro',
    'MTY01',
    'Monterrey Centro',
    'ENTREGA A DOMICILIO',
    '14/07/2026 10:32',
    'Luis Pérez Muñoz',
    'Comercial del Norte SA de CV · RFC CNO800101AB1',
    'Av. Juárez 800 Int. 4B',
    'Col. Centro',
    'C.P. 64000 Monterrey, Nuevo León',
    'Referencias: Portón verde, junto a la farmacia',
    'Tel. 81 9876 5432 / 81 1234 5678',
    'luis@ejemplo.mx',
    'Ana López',
    'Tel. 55 9876 5432 / 55 1234 5678',
    'ana@ejemplo.mx',
    'Calle Tonalá 121 Int. 3C',
    'Col. Roma Norte, C.P. 06700 Cuauhtémoc',
    'Libros',
    'Frágil',
    'Paquete',
    '2.5 kg',
    '30 × 15 × 20 cm',
    '$1,500.50 MXN',
    'Marta Ruiz',
    'Agencia Centro',
    'Rastreo',
  ])
    expect(page?.text).toContain(words);
});

test.for([
  ['small', '10 × 10 cm', 283.46],
  ['medium', '10 × 15 cm', 425.2],
] as const)(
  'a %s label has a page of %s a package, each with its own number',
  async ([kind, _, height], { printed }) => {
    const pages = await printed(label({ kind, packages: 3 }));
    expect(pages.map(({ code128 }) => code128)).toEqual([
      ['482913650724-01'],
      ['482913650724-02'],
      ['482913650724-03'],
    ]);
    for (const [i, page] of pages.entries()) {
      expect(page.qr).toEqual(['https://rastreo.example/guia/482913650724']);
      // Chromium's pages have whole pixels of its own: 99.82 mm.
      expect(Math.abs(page.width - 283.46)).toBeLessThan(0.6);
      expect(Math.abs(page.height - height)).toBeLessThan(0.6);
      for (const words of [
        'MTY01',
        `${i + 1}/3`,
        'Luis Pérez Muñoz',
        'Av. Juárez 800',
        '81 9876 5432',
        '2.5 kg',
        'Frágil',
        'FRÁGIL',
      ])
        expect(page.text).toContain(words);
    }
  },
);

test('a medium label says what a parcel needs on its way', async ({ printed }) => {
  const medium = label({ kind: 'medium' });
  medium.guide.Referencia = 'PEDIDO-1042';
  const [page] = await printed(medium);
  for (const words of [
    'Envíos del Valle',
    'ENTREGA A DOMICILIO',
    '14/07/2026 10:32',
    'Monterrey Centro',
    'MEX01',
    'CÓDIGO POSTAL',
    'Comercial del Norte SA de CV · RFC CNO800101AB1',
    'Av. Juárez 800 Int. 4B',
    'Col. Centro',
    'C.P. 64000 Monterrey, Nuevo León',
    'Referencias: Portón verde, junto a la farmacia',
    'Tel. 81 9876 5432 / 81 1234 5678',
    'Ana López',
    'Tel. 55 9876 5432 / 55 1234 5678',
    'Referencia: PEDIDO-1042',
    'DEVOLVER A',
    'Calle Tonalá 121 Int. 3C',
    'Col. Roma Norte, C.P. 06700 Cuauhtémoc, Ciudad de México',
    'Libros',
    'Frágil',
    '4829 1365 0724 - 01',
  ])
    expect(page?.text).toContain(words);
});

test('a guide that is picked up at a branch needs no address', async ({ printed }) => {
  const bare = label({ service: 'the service' });
  bare.guide = {
    Remitente: { Nombre: 'Ana' },
    Destinatario: { Nombre: 'Luis', DestinoCode: 'MTY01' },
    Producto: { Contenido: 'Libros' },
    Creado_por: {},
  };
  for (const kind of LABEL_KINDS) {
    const [page] = await printed({ ...bare, kind });
    expect(page?.text).toContain('RECOGE EN SUCURSAL');
    expect(page?.text).not.toMatch(/undefined|null|NaN|Tel\.|Ref|Col\.|C\.P\./);
  }
});

test('labels that wait are printed together, and each gets its own pages', async ({ printer, prints }) => {
  const labels = mixedLabels(7);
  const batching = printer();
  const files = await Promise.all(labels.map((one) => batching.print(one)));
  // The first found a free print slot; the others waited for it, and each kind has a print.
  expect(prints).toHaveLength(3);
  for (const [i, one] of labels.entries()) {
    const pages = await readLabel(Buffer.from(files[i] ?? []));
    expect(pages).toHaveLength(one.packages);
    for (const page of pages) {
      expect(page.width).toBeCloseTo(one.kind === 'letter' ? 612 : 283, 0);
      expect(page.qr).toEqual([one.trackingUrl]);
      expect(page.code128[0]?.slice(0, 12)).toBe(one.number);
    }
  }
});

const HIDDEN = '<style>section:has(#hidden) { visibility: hidden }</style>';
test.for<[string, (body: string, number: string) => string]>([
  [
    'that Chromium refuses',
    (body, number) => {
      if (body.includes(number)) throw new Error('Printing failed');
      return body;
    },
  ],
  [
    'whose text is hidden',
    (body, number) => HIDDEN + body.replace(`>${number}`, (found) => ` id="hidden"${found}`),
  ],
])('a label %s fails alone in its batch', async ([, fault], { printer }) => {
  const labels = mixedLabels(13);
  const bad = labels[7]?.number.replace(/(....)(....)/, '$1 $2 ') ?? '';
  const batching = printer((body) => fault(body, bad));
  const results = await Promise.allSettled(labels.map((one) => batching.print(one)));
  for (const [i, result] of results.entries()) {
    if (i === 7) expect(result).toMatchObject({ reason: { code: 'label-unprintable' } });
    else if (result.status === 'fulfilled')
      expect(pdfinfo(result.value)).toContain(`Guía ${labels[i]?.number}`);
    else throw result.reason;
  }
});

test('when Chromium fails, all labels of the batch do, and none is blamed', async ({ printer, prints }) => {
  const batching = printer(() => {
    throw new DomainError('browser-failed');
  });
  const results = await Promise.allSettled(mixedLabels(3).map((one) => batching.print(one)));
  expect(results).toMatchObject(Array(3).fill({ reason: { code: 'browser-failed' } }));
  expect(prints).toHaveLength(3);
});

/** A printer with two slots whose prints end, in vain, when the test says so. */
function pretendedPrinter() {
  const sizes: number[] = [];
  const ends: (() => void)[] = [];
  const printHtml = (body: string) =>
    new Promise<never>((_, reject) => {
      sizes.push(body.match(/<section/g)?.length ?? 0);
      ends.push(() => reject(new DomainError('browser-failed')));
    });
  const printer = new LabelPrinter({ underlays: {}, printHtml, concurrency: 2, maxLabels: 50 });
  const asked: Promise<unknown>[] = [];
  const ask = async (count: number, order = {}) => {
    asked.push(...Array.from({ length: count }, () => printer.print(label(), order).catch(() => {})));
    await new Promise(setImmediate);
  };
  const end = async (print: number) => {
    ends[print]?.();
    await new Promise(setImmediate);
  };
  return { sizes, asked, ask, end };
}

test('labels of files print four at a time beside labels that are asked for one by one, and leave those a slot', async () => {
  const { sizes, asked, ask, end } = pretendedPrinter();
  const file = { behind: true, place: 60 };
  await ask(50, file);
  await ask(1);
  await end(1);
  expect(sizes).toEqual([1, 1, 1]);
  await end(0);
  expect(sizes).toEqual([1, 1, 1, 4]);
  await end(2);
  expect(sizes).toEqual([1, 1, 1, 4]);
  await ask(1);
  expect(sizes).toEqual([1, 1, 1, 4, 1]);
  for (let print = 3; print < asked.length; print++) await end(print);
  expect(sizes.slice(4, 8)).toEqual([1, 4, 4, 4]);
  await Promise.all(asked);
});

test('labels of files print a dozen at a time if nobody asks for single ones', async () => {
  const { sizes, asked, ask, end } = pretendedPrinter();
  await ask(26, { behind: true, place: 60 });
  for (let print = 0; print < 30; print++) await end(print);
  expect(sizes.filter((size) => size > 6)).toEqual([12, 12]);
  await Promise.all(asked);
});
