import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import type { LabelPayload } from '#shared/contracts/label-job.ts';
import { LABEL_KINDS } from '#shared/contracts/label-kinds.ts';
import { LABEL_CASES } from '#test/fixtures/labels/label-cases.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { test } from '#test/fixtures/labels/label-printing.ts';

/** The fonts that a label may hold: ours, and none of the machine's. */
const BARLOW = ['BarlowSemiCondensed-Bold', 'BarlowSemiCondensed-Medium'];
const OURS = [
  ...BARLOW,
  'FiraSansCondensed-Regular',
  'FiraSansCondensed-SemiBold',
  'NotoSans-SemiBold',
  'NotoSansSymbols2-Regular',
];

describe.each(LABEL_KINDS)('a %s label', (kind) => {
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
    expect(OURS).toEqual(expect.arrayContaining(fontsOf(pdf)));
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
