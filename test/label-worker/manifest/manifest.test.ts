import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { renderLabel } from '#services/label-worker/label/render-label.ts';
import { everywhere } from '#services/label-worker/label/template-files/sample-labels.ts';
import { pagesOf as guidesByPage } from '#shared/manifests/manifest.ts';
import { test as printing } from '#test/fixtures/labels/label-printing.ts';
import { manifestPayload } from '#test/fixtures/labels/manifests.ts';
import { checkPdf, codesOf, HEAD_DPI, pagesOf } from '#test/fixtures/labels/pictures.ts';

const test = printing.extend('large', { scope: 'file' }, async ({ printer }) => {
  const pdf = await printer.print(manifestPayload(500));
  return { pdf, pages: textsOf(pdf) };
});

/** The texts of each page, as they stand on it. */
function textsOf(pdf: Uint8Array): string[] {
  const text = execFileSync('pdftotext', ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
  return text.split('\f').slice(0, -1);
}
const rowsOf = (page: string) => page.match(/^ *\d+ +\d{4} \d{4} \d{4} .*$/gm) ?? [];
const wordsOf = (text: string) => text.trim().split(/\s{2,}/);

describe('the list of a manifest of 500 guides', () => {
  test('has a row for each guide, in their order, and nothing but once', async ({ large: { pages } }) => {
    const rows = pages.flatMap(rowsOf);
    expect(rows.map((row) => row.match(/\d{4} \d{4} \d{4}/)?.[0].replaceAll(' ', ''))).toEqual(
      manifestPayload(500).guides.map(({ number }) => number),
    );
    expect(wordsOf(rows[0] ?? '')).toEqual([
      ...['1', '4829 1300 0000', 'Domicilio', 'MTY01', '64000', '1', '0.5'],
    ]);
    expect(wordsOf(rows[499] ?? '')).toEqual([
      ...['500', '4829 1300 0499', 'Domicilio', 'GDL01', '64499', '5', '—'],
    ]);
  });

  test('has number, account, branch, table header and page number on each page', ({ large: { pages } }) => {
    expect(pages).toHaveLength(15);
    for (const [i, page] of pages.entries()) {
      for (const text of [
        ...['Envíos del Valle', 'MANIFIESTO DE ENTREGA', 'M 482 9136 5074', 'M48291365074'],
        ...['tienda', 'MEX01 · Ciudad de México Centro', '14/07/2026 18:32'],
        ...['GUÍA', 'SERVICIO', 'DESTINO', 'PAQUETES', `Página ${i + 1} de 15`],
      ]) {
        expect(page).toContain(text);
      }
    }
  });

  test('has totals and room for signatures and the stamp together, on the last page', ({ large }) => {
    const [last = '', ...others] = large.pages.toReversed();
    for (const text of [
      ...['500 guías', '1500 paquetes', '125 guías sin peso.'],
      ...['ENTREGA', 'RECIBE EL TRANSPORTISTA', 'SELLO', 'Nombre y firma'],
    ]) {
      expect(last).toContain(text);
    }
    expect(others.join('')).not.toMatch(/SELLO|paquetes/);
  });

  test('is a valid PDF of bounded size, whose code a scanner reads from its pages', async ({
    large: { pdf },
  }) => {
    await checkPdf(pdf);
    expect(pdf.length).toBeLessThan(400_000);
    const pictures = await pagesOf(pdf, HEAD_DPI, { pages: [1, 8, 15] });
    expect(await codesOf(pictures)).toEqual(Array(3).fill(['CODE-128:M48291365074']));
  });
});

describe('the list of a manifest', () => {
  test.for([1, 24, 25, 36, 37, 60, 61, 500])(
    'of %i guides fills its pages, and has guides beside the totals',
    (count) => {
      const { guides } = manifestPayload(count);
      const pages = guidesByPage(guides);
      expect(pages.flat()).toEqual(guides);
      expect(pages.at(-1)?.length).toBeGreaterThan(0);
      expect(pages.at(-1)?.length).toBeLessThanOrEqual(24);
      expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(36);
    },
  );

  test('marks what was cancelled since, and says how much', async ({ printer }) => {
    const guides = manifestPayload(3).guides.map((guide, i) =>
      i === 1 ? { ...guide, cancelled: true as const } : guide,
    );
    const [page = ''] = textsOf(await printer.print(manifestPayload(3, { guides })));
    const rows = rowsOf(page);
    expect(rows.map((row) => row.includes('CANCELADA'))).toEqual([false, true, false]);
    expect(page).toContain('3 guías');
    expect(page).toContain('1 guía de la lista se canceló después.');
  });

  test('has a column of routes if a guide has one, and none otherwise', async ({ printer }) => {
    const payload = manifestPayload(4);
    const [one = '', other = ''] = payload.guides.map(({ number }) => number);
    const routes = { [one]: 'R-12', [other]: 'WWWWWWWW' };
    const pdf = await printer.print(manifestPayload(4, { routes }));
    const [page = ''] = textsOf(pdf);
    expect(rowsOf(page).map((row) => wordsOf(row).slice(3, 6))).toEqual([
      ['MTY01', 'R-12', '64000'],
      ['GDL01', 'WWWWWWWW', '64001'],
      ['MTY01', '—', '—'],
      ['GDL01', '—', '64003'],
    ]);
    expect(page).toMatch(/DESTINO\s+RUTA\s+C\. P\./);
    const [without = ''] = textsOf(await printer.print(payload));
    expect(without).toMatch(/DESTINO\s+C\. P\./);
  });

  test('of a test account says on each page that nobody may send it', async ({ printer }) => {
    const pages = textsOf(await printer.print(manifestPayload(30, { number: 'M08291365075' })));
    expect(pages).toHaveLength(2);
    for (const page of pages) expect(page).toContain('PRUEBA · NO ENVIAR');
    expect(renderLabel(manifestPayload(1)).html).not.toMatch(/PRUEBA/);
  });

  test('keeps the longest texts and markup in their rooms', async ({ printer }) => {
    const long = everywhere('Wörter <b>&</b> '.repeat(20)).carrier;
    const guides = manifestPayload(2).guides.map((row) => ({ ...row, destination: long, postalCode: long }));
    const origin = { code: long, name: long };
    const pdf = await printer.print(manifestPayload(2, { carrier: long, account: long, origin, guides }));
    const [page] = await pagesOf(pdf, HEAD_DPI);
    expect(await codesOf(page ? [page] : [])).toEqual([['CODE-128:M48291365074']]);
    expect(textsOf(pdf)[0]).toContain('Wörter <b>&</b>');
  });
});
