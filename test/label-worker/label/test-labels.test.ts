import { expect } from 'vitest';
import { renderLabel } from '#services/label-worker/label/render-label.ts';
import { sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { LABEL_KINDS } from '#shared/contracts/label-kinds.ts';
import { test } from '#test/fixtures/labels/label-printing.ts';
import { HEAD_DPI, type Picture, pagesOf } from '#test/fixtures/labels/pictures.ts';

/** A real label and a test label that differ only in the words: what tells them apart, the number, is the same. */
const REAL = '482913650724';

test.for(LABEL_KINDS)(
  'a %s of a test account has two words more, and else the same dots',
  async (kind, { printer }) => {
    const label = sample({ kind, packages: 1, trackingUrl: 'https://rastreo.example/1' });
    const words = renderLabel({ ...label, number: `0${REAL.slice(1)}` }).html;
    expect(words).toMatch(/PRUEBA/);
    expect(words).toMatch(/NO ENVIAR/);
    expect(renderLabel(label).html).not.toMatch(/PRUEBA|NO ENVIAR/);
    const printed = await Promise.all(
      [label, { ...label, number: `0${REAL.slice(1)}` }].map(async (each) =>
        pagesOf(await printer.print(each), HEAD_DPI),
      ),
    );
    const [real, other] = printed.map(([page]) => page) as [Picture, Picture];
    const rows = new Set<number>();
    for (const [i, pixel] of real.pixels.entries()) {
      if (Math.abs(pixel - (other.pixels[i] ?? 0)) > 64) rows.add(Math.floor(i / real.width));
    }
    // The band, and the rows of the number and its code.
    const top = Math.min(...rows);
    expect(kind === 'letter' ? top < 104 : top >= 638).toBe(true);
  },
);
