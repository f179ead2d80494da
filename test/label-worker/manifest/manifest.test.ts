import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { renderLabel } from '#services/label-worker/label/render-label.ts';
import { everywhere } from '#services/label-worker/label/template-files/sample-labels.ts';
import { pagesOf as linesByPage } from '#shared/manifests/manifest-view.ts';
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
const wordsOf = (row = '') => row.trim().replaceAll(/\s+/g, ' ');

describe('the list of a manifest of 500 guides', () => {
  test('has a row for each guide, by destination, and nothing but once', async ({ large: { pages } }) => {
    const rows = pages.flatMap(rowsOf);
    const to = (code: string) =>
      manifestPayload(500).guides.filter(({ destination }) => destination === code);
    expect(rows.map((row) => row.match(/\d{4} \d{4} \d{4}/)?.[0].replaceAll(' ', ''))).toEqual(
      [...to('GDL01'), ...to('MTY01')].map(({ number }) => number),
    );
    expect(wordsOf(rows[0])).toBe('1 4829 1300 0001 PEDIDO-1 San Pedro Garza García 64001 Domicilio 2 0.625');
    expect(wordsOf(rows[499])).toBe('500 4829 1300 0498 — — 64498 Domicilio 4 62.75');
  });

  test('says above the guides of each destination how many these are', async ({ large: { pages } }) => {
    const text = pages.join('');
    expect(text).toMatch(/GDL01 · Guadalajara Centro {2,}250 guías · 750 paquetes · [\d,.]+ kg/);
    expect(text.match(/^ *MTY01 {2,}250 guías · 750 paquetes/gm)).toHaveLength(1);
    for (const page of pages.slice(1))
      expect(page).toMatch(/^ *(GDL01 · Guadalajara Centro|MTY01) {2,}continúa/m);
  });

  test('has number, account, branch, table header and page number on each page', ({ large: { pages } }) => {
    expect(pages).toHaveLength(13);
    for (const [i, page] of pages.entries()) {
      for (const text of [
        ...['Envíos del Valle', 'MANIFIESTO DE ENTREGA', 'M 482 9136 5074', 'M48291365074'],
        ...['tienda', 'MEX01 · Ciudad de México Centro', '14/07/2026 18:32'],
        ...['GUÍA', 'REFERENCIA', 'CIUDAD', 'SERVICIO  ', ' PAQUETES', `Página ${i + 1} de 13`],
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
    expect(others.join('')).not.toMatch(/SELLO|1500 paquetes/);
  });

  test('is a valid PDF of bounded size, whose code a scanner reads from its pages', async ({
    large: { pdf },
  }) => {
    await checkPdf(pdf);
    expect(pdf.length).toBeLessThan(400_000);
    const pictures = await pagesOf(pdf, HEAD_DPI, { pages: [1, 8, 13] });
    expect(await codesOf(pictures)).toEqual(Array(3).fill(['CODE-128:M48291365074']));
  });
});

describe('the list of a manifest', () => {
  test('prints no page for few rows, and none that ends with a destination', () => {
    for (let count = 1; count <= 140; count++) {
      for (const destinations of [1, 2, 7, count]) {
        const payload = manifestPayload(count);
        const guides = payload.guides.map((guide, i) => ({ ...guide, destination: `D${i % destinations}` }));
        const pages = linesByPage({ guides });
        const rows = pages.flat().flatMap((line) => ('guide' in line ? [line.guide.number] : []));
        expect(rows.toSorted()).toEqual(guides.map(({ number }) => number));
        for (const page of pages) {
          expect(page[0]).toHaveProperty('destination');
          expect(page.at(-1)).toHaveProperty('guide');
          expect(page.length).toBeLessThanOrEqual(43);
        }
        const last = pages.at(-1) ?? [];
        expect(last.length).toBeLessThanOrEqual(29);
        if (pages.length > 1) expect(last.length).toBeGreaterThanOrEqual(8);
      }
    }
  });

  test('marks what was cancelled since, and says how much', async ({ printer }) => {
    const guides = manifestPayload(3).guides.map((guide, i) =>
      i === 1 ? { ...guide, cancelled: true as const } : guide,
    );
    const [page = ''] = textsOf(await printer.print(manifestPayload(3, { guides })));
    const rows = rowsOf(page);
    expect(rows.map((row) => row.includes('CANCELADA'))).toEqual([true, false, false]);
    expect(page).toContain('3 guías');
    expect(page).toContain('1 guía de la lista se canceló después.');
  });

  test('has a column of routes if a guide has one, and none otherwise', async ({ printer }) => {
    const payload = manifestPayload(4);
    const [one = '', other = ''] = payload.guides.map(({ number }) => number);
    const routes = { [one]: 'R-12', [other]: 'WWWWWWWW' };
    const pdf = await printer.print(manifestPayload(4, { routes }));
    const [page = ''] = textsOf(pdf);
    // By destination and route, those without a route first.
    expect(rowsOf(page).map(wordsOf)).toEqual([
      expect.stringMatching(/ 4829 1300 0003 .* 64003 — /),
      expect.stringMatching(/ 4829 1300 0001 .* 64001 WWWWWWWW /),
      expect.stringMatching(/ 4829 1300 0002 .* — — /),
      expect.stringMatching(/ 4829 1300 0000 .* 64000 R-12 /),
    ]);
    expect(page).toMatch(/C\. P\.\s+RUTA\s+SERVICIO/);
    const [without = ''] = textsOf(await printer.print(payload));
    expect(without).toMatch(/C\. P\.\s+SERVICIO/);
  });

  test('of an api of the release before has no references and towns', async ({ printer }) => {
    const { details: _, branches: __, ...payload } = manifestPayload(2);
    const [page = ''] = textsOf(await printer.print(payload));
    expect(rowsOf(page).map(wordsOf)).toEqual([
      '1 4829 1300 0001 — — 64001 Domicilio 2 0.625',
      '2 4829 1300 0000 — — 64000 Domicilio 1 0.5',
    ]);
    expect(page).toMatch(/^ *GDL01 {2,}1 guía/m);
  });

  test('of a test account says on each page that nobody may send it', async ({ printer }) => {
    const pages = textsOf(await printer.print(manifestPayload(40, { number: 'M08291365075' })));
    expect(pages).toHaveLength(2);
    for (const page of pages) expect(page).toContain('PRUEBA · NO ENVIAR');
    expect(renderLabel(manifestPayload(1)).html).not.toMatch(/PRUEBA/);
  });

  test('keeps the longest texts and markup in their rooms', async ({ printer }) => {
    const long = everywhere('Wörter <b>&</b> '.repeat(20)).carrier;
    const guides = manifestPayload(2).guides.map((row) => ({ ...row, destination: long, postalCode: long }));
    const origin = { code: long, name: long };
    const details = Object.fromEntries(
      guides.map(({ number }) => [number, { reference: long.slice(0, 60), place: `${long}, ${long}` }]),
    );
    const texts = { carrier: long, account: long, origin, details, branches: { [long]: long } };
    const pdf = await printer.print(manifestPayload(2, { ...texts, guides }));
    const [page] = await pagesOf(pdf, HEAD_DPI);
    expect(await codesOf(page ? [page] : [])).toEqual([['CODE-128:M48291365074']]);
    expect(textsOf(pdf)[0]).toContain('Wörter <b>&</b>');
  });
});

/** `UPDATE_PICTURES=1 npm test -- test/label-worker/manifest/manifest` takes the picture of the documents anew. */
if (process.env.UPDATE_PICTURES) {
  test('picture for the documents', async ({ printer }) => {
    const { guides } = manifestPayload(20);
    const places: Record<string, string> = { GDL01: 'Guadalajara', MTY01: 'Monterrey' };
    const details = guides.map(({ number, destination }, i) => [
      number,
      { reference: `PEDIDO-${1_042 + i}`, place: places[destination] },
    ]);
    const routes = guides.map(({ number }, i) => [number, `R-${1 + (i % 3)}`]);
    const payload = manifestPayload(20, {
      branches: { GDL01: 'Guadalajara Centro', MTY01: 'Monterrey Centro' },
      guides: guides.map((guide, i) => (i % 5 === 2 ? { ...guide, cod: 450.5 } : guide)),
      details: Object.fromEntries(details),
      routes: Object.fromEntries(routes),
    });
    const input = await printer.print(payload);
    const picture = execFileSync('pdftoppm', ['-png', '-r', '72', '-'], { input });
    await writeFile(join(repoRoot, 'docs/pictures/manifiesto.png'), picture);
  });
}
