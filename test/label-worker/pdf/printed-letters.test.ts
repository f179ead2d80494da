import { expect } from 'vitest';
import { MissingTextError } from '#services/label-worker/pdf/printed-letters.ts';
import { split } from '#services/label-worker/pdf/split.ts';
import { test } from '#test/fixtures/labels/printing-browser.ts';

const page = (texts: string, style = '') =>
  `<section class="small"><svg><g style="${style}"><text>${texts}</text></g></svg></section>`;
const line = (text: string, x = 20) => `<tspan x="${x}" y="60" font-size="24">${text}</tspan>`;

/** Splits a print that has one page, on which so many letters are wanted. */
const splitPage = (print: Uint8Array, letters: number) =>
  split(print, [{ title: 'x', drawing: { shared: [], pages: [[]] }, letters: [letters] }]);

test.for([
  ['hidden', page(line('Ana López'), 'visibility:hidden'), 0],
  ['without a colour', page(line('Ana López'), 'fill:none'), 0],
  ['white', page(line('Ana López'), 'fill:#fff'), 0],
  ['transparent', page(line('Ana López'), 'fill:transparent'), 0],
  ['in a group without opacity', page(line('Ana López'), 'opacity:0'), 0],
  ['cut away', page(line('Ana López'), 'clip-path:inset(100%)'), 0],
  ['beside the page', page(line('Ana López', 400)), 0],
  ['whose font lacks two letters', page(line('Ana \ue000\ue001'), 'font-family:Label'), 4],
  ['pale', page(line('Ana López'), 'opacity:.5'), 9],
  ['white before black', page(`<tspan style="fill:#fff">${line('Ana')}</tspan>${line('López', 90)}`), 5],
  ['as it should be', page(line('Ana López')), 9],
] as const)(
  'of a text that is %s, the letters that can be seen count',
  async ([, html, seen], { printing }) => {
    const print = await printing.printHtml(html);
    expect(splitPage(print, seen)).toHaveLength(1);
    expect(() => splitPage(print, seen + 1)).toThrow(MissingTextError);
    expect(() => splitPage(print, seen + 1)).toThrow(`A page shows ${seen} letters of ${seen + 1}`);
  },
);
