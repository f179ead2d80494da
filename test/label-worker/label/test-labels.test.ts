import { expect } from 'vitest';
import { LabelPrinter } from '#services/label-worker/batching/label-printer.ts';
import { printUnderlays } from '#services/label-worker/batching/print-underlays.ts';
import { renderLabel } from '#services/label-worker/label/render-label.ts';
import { sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { OUR_TEMPLATES } from '#services/label-worker/label/templates.ts';
import { testBand } from '#shared/documents/printed-texts.ts';
import { LABEL_KINDS } from '#shared/labels/label-kinds.ts';
import { HEAD_DPI, type Picture, pagesOf } from '#test/fixtures/labels/pictures.ts';
import { test } from '#test/fixtures/labels/printing-browser.ts';

const REAL = '482913650724';
const TEST = `0${REAL.slice(1)}`;

/** Where words of a test label stand: its top, the recipient's part, and beside the bars and their quiet zones. In dots. */
const WORDS = {
  letter: [
    [0, 0, 1727, 104],
    [96, 784, 1140, 700],
  ],
  medium: [
    [20, 480, 760, 342],
    [28, 1010, 118, 70],
    [650, 1010, 120, 70],
  ],
  small: [
    [20, 290, 760, 272],
    [28, 644, 118, 70],
    [650, 644, 120, 70],
  ],
} as const;

test.for(LABEL_KINDS)(
  'a %s of a test account says so before its code, and has the same dots elsewhere',
  async (kind, { printing }) => {
    const label = sample({ kind, packages: 1 });
    expect(renderLabel({ ...label, number: TEST }).html.match(/PRUEBA/g)).toHaveLength(2);
    expect(renderLabel(label).html).not.toMatch(/PRUEBA|NO ENVIAR/);
    // With the same number, so that the codes are those of the real label.
    const { draw, ...ours } = OUR_TEMPLATES[kind];
    const asTest = {
      ...ours,
      draw: (view, sheet) => draw({ ...view, test: testBand(true) }, sheet),
    } satisfies typeof OUR_TEMPLATES.letter;
    const pictures: Picture[] = [];
    for (const templates of [OUR_TEMPLATES, { ...OUR_TEMPLATES, [kind]: asTest }]) {
      const underlays = await printUnderlays(printing.printHtml, templates);
      const options = { templates, underlays, printHtml: printing.printHtml, concurrency: 1, maxLabels: 1 };
      pictures.push(...(await pagesOf(await new LabelPrinter(options).print(label), HEAD_DPI)));
    }
    const [real, other] = pictures;
    if (!real || !other) throw new Error('A label has no page');
    const changed = { dots: 0, inRecipient: 0, elsewhere: 0 };
    const [recipient] = kind === 'letter' ? WORDS.letter.slice(1) : WORDS[kind];
    for (const [i, pixel] of real.pixels.entries()) {
      if (pixel === other.pixels[i]) continue;
      const at = [i % real.width, Math.floor(i / real.width)] as const;
      changed.dots++;
      if (recipient && isIn(recipient, at)) changed.inRecipient++;
      if (!WORDS[kind].some((area) => isIn(area, at))) changed.elsewhere++;
    }
    expect(changed.elsewhere).toBe(0);
    expect(changed.inRecipient).toBeGreaterThan(1_000);
    // Outlines hide little: a filled word would cover some five times as much.
    expect(changed.inRecipient / (real.width * real.height)).toBeLessThan(0.02);
  },
);

function isIn([x, y, width, height]: readonly number[], [atX, atY]: readonly [number, number]): boolean {
  const [left = 0, top = 0, across = 0, down = 0] = [x, y, width, height];
  return atX >= left && atX < left + across && atY >= top && atY < top + down;
}
