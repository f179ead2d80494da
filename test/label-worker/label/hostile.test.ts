import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { DOCUMENT } from '#services/label-worker/label/document.ts';
import {
  everywhere,
  LEAST,
  sample,
  withReturnAddress,
} from '#services/label-worker/label/template-files/sample-labels.ts';
import { LABEL_KINDS } from '#shared/labels/label-kinds.ts';
import type { LabelPayload } from '#shared/labels/label-payload.ts';
import { LABEL_CASES } from '#test/fixtures/labels/label-cases.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { test } from '#test/fixtures/labels/label-printing.ts';
import { wholeLabelHtml } from '#test/fixtures/labels/whole-label.ts';

/** Whatever the fields hold, a label is as many pages as asked for, in its size, with nothing on top of another. */

const FILLERS: Record<string, string> = {
  'the widest letter': 'W'.repeat(250),
  'a long word in small letters': 'x'.repeat(250),
  words: 'Avenida de los Insurgentes '.repeat(10),
  emoji: '🚚👨‍👩‍👧🇲🇽'.repeat(40),
  'right-to-left text': 'שלום עולם مرحبا '.repeat(20),
  'combining marks': 'n̴̨̛̪̾ͅe̷͓̅ '.repeat(30),
  accents: 'ÑÁÉÍÓÚÜ ñáéíóúü ß Łódź '.repeat(12),
  'letters of several fonts': 'ЩЕРБАКОВА Ѹ Ωμέγα Nguyễn Ỗ ☎ '.repeat(10),
  markup: '<script>alert(1)</script>{{this}}{{{x}}}</style></section>&amp;<!-- '.repeat(5),
  'a bit of all': 'W🚚ש<b>{{this}}</style>&amp;é̴ '.repeat(12),
};
/** Those that are printed and read; the browser measures all. */
const EXTREMES: [string, LabelPayload][] = [
  ...['the widest letter', 'markup', 'a bit of all'].map((name): [string, LabelPayload] => [
    name,
    everywhere(FILLERS[name] ?? ''),
  ]),
  [
    'a return address of long words',
    withReturnAddress(everywhere(FILLERS['a long word in small letters'] ?? '')),
  ],
  ['nothing that is optional', sample({ guide: LEAST, service: 'the service' })],
];
const PLAIN: [string, LabelPayload][] = [
  ...Object.entries(FILLERS).map(([name, text]): [string, LabelPayload] => [name, everywhere(text)]),
  ...EXTREMES.filter(([name]) => !(name in FILLERS)),
  ...LABEL_CASES.map(({ name, label }): [string, LabelPayload] => [name, label]),
  // Each text just long enough to fill its lines at each size: the highest that a label can get.
  ...[20, 30, 40, 50, 65, 80, 100].map((length): [string, LabelPayload] => [
    `${length} letters in each field`,
    everywhere('Calle Niños Héroes '.repeat(14).slice(0, length)),
  ]),
  ...['Ѹ', '☞', 'ЖЩЮ ШЫФМ ', 'ΑΥΤΟΚΡΑΤΟΡΙΑ ', 'Ỗ', '№♥ '].map((text): [string, LabelPayload] => [
    `${text} in each field`,
    everywhere(text.repeat(250)),
  ]),
];
const CASES = PLAIN.flatMap(([name, label]): [string, LabelPayload][] => [
  [name, label],
  [`${name}, with a return address`, withReturnAddress(label)],
]);

/** Width and height in points. */
const SIZES = { letter: [612, 792], medium: [283.46, 425.2], small: [283.46, 283.46] } as const;

describe.each(LABEL_KINDS)('a %s label', (kind) => {
  test.for(EXTREMES)('with %s has its pages, its size and its codes', async ([_, label], { printer }) => {
    const packages = kind === 'letter' ? 1 : 2;
    const pages = await readLabel(Buffer.from(await printer.print({ ...label, kind, packages })));
    expect(pages).toHaveLength(packages);
    for (const [i, page] of pages.entries()) {
      const [width, height] = SIZES[kind];
      expect(Math.abs(page.width - width)).toBeLessThan(0.6);
      expect(Math.abs(page.height - height)).toBeLessThan(0.6);
      expect(page.qr).toEqual([label.trackingUrl]);
      expect(page.code128).toEqual([kind === 'letter' ? label.number : `${label.number}-0${i + 1}`]);
    }
  });

  test('has no text that overlaps another, leaves its box or is smaller than 6 pt', async ({ browser }) => {
    const page = await browser.newPage();
    await page.emulateMediaType('print');
    await page.setContent(DOCUMENT);
    for (const [name, label] of CASES) {
      await page.evaluate(`document.body.innerHTML = ${JSON.stringify(wholeLabelHtml({ ...label, kind }))}`);
      await page.evaluate(LOAD_FONTS);
      expect(await page.evaluate(`(${findFaults})()`), name).toEqual([]);
    }
    await page.close();
  });
});

const LOAD_FONTS = 'Promise.all([...document.fonts].map((face) => face.load())).then(() => {})';

/** Runs in the page, so it is text. Finds every text and code that is not where it alone may be. */
const findFaults = `() => {
  const faults = [];
  const section = document.querySelector('section');
  const page = section.getBoundingClientRect();
  const dot = 96 / 25.4 / 8;
  const boxes = [...section.querySelectorAll('tspan')].map((text) => {
    const { left, right } = text.getBoundingClientRect();
    const size = parseFloat(getComputedStyle(text).fontSize) * dot;
    if (size < 7.95) faults.push(text.textContent + ': ' + size);
    const baseline = page.top + text.getStartPositionOfChar(0).y * dot;
    return { name: text.textContent, text, left, right, top: baseline - 0.72 * size, bottom: baseline + 0.2 * size };
  });
  for (const shape of section.querySelectorAll('image, path')) {
    const { left, right, top, bottom } = shape.getBoundingClientRect();
    boxes.push({ name: shape.outerHTML.slice(0, 40), left, right, top, bottom, rule: shape.matches('.rule') });
  }
  if (boxes.length < 20) faults.push('only ' + boxes.length + ' boxes');
  for (const [i, a] of boxes.entries()) {
    if (a.left < page.left + 8 || a.right > page.right - 8 || a.top < page.top + 4 || a.bottom > page.bottom - 4) {
      faults.push(a.name + ': at the edge');
    }
    for (const b of boxes.slice(i + 1)) {
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (width > 0.6 && height > 0.6 && !(a.rule && b.rule)) faults.push(a.name + ' overlaps ' + b.name + ' by ' + height);
    }
  }
  return faults;
}`;

/** The fonts of a label in plain text; test/label-worker/pdf/pdf.test.ts has those of all labels. */
const BARLOW = ['BarlowSemiCondensed-Bold', 'BarlowSemiCondensed-Medium'];

describe.each(LABEL_KINDS)('the letters of a %s label', (kind) => {
  test('prints each alphabet in its own letters, and the text can be read back', async ({ printer }) => {
    const label = caseOf(kind, 'alphabets');
    const pdf = Buffer.from(await printer.print(label));
    const [page] = await readLabel(pdf);
    const text = page?.text.normalize().replace(/\s+/g, ' ');
    const { Destinatario: to, Remitente: from } = label.guide;
    for (const shown of [to.Nombre, to.Calle, to.Numero_exterior, to.Colonia, to.Municipio, to.Estado]) {
      expect(text).toContain(shown);
    }
    expect(text).toContain(from.Nombre);
    expect(text).toContain('☎ antes de entregar → portón ★ verde; ⚠');
    expect(text).toContain('Київ, вул. Хрещатик 22 ✓');
    expect(text).not.toContain('•');
  });

  test('in plain text holds two fonts only, whatever is printed with it', async ({ printer }) => {
    const labels = ['usual', 'alphabets', 'address', 'alphabets', 'pick-up'].map((about) =>
      caseOf(kind, about),
    );
    const pdfs = await Promise.all(labels.map((label) => printer.print(label)));
    const fonts = pdfs.map((pdf) => fontsOf(pdf));
    for (const plain of [fonts[0], fonts[2], fonts[4]]) expect(plain).toEqual(BARLOW);
  });
});

function caseOf(kind: LabelPayload['kind'], about: string): LabelPayload {
  const found = LABEL_CASES.find(({ name }) => name === `${kind}-${about}`);
  if (!found) throw new Error(`There is no label case ${kind}-${about}`);
  return found.label;
}

/** Returns the names of the fonts that a PDF holds, each once, without the letters that mark a subset. */
function fontsOf(pdf: Uint8Array): string[] {
  const rows = execFileSync('pdffonts', ['-'], { input: pdf, encoding: 'utf8' }).trim().split('\n').slice(2);
  return [...new Set(rows.map((row) => row.replace(/^[A-Z]{6}\+/, '').split(' ')[0] ?? ''))].sort();
}
