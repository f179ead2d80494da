import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { DOCUMENT } from '#services/label-worker/label/document.ts';
import { CHARSET } from '#shared/contracts/label-charset.ts';
import { test } from '#test/fixtures/browser.ts';

describe('widths', () => {
  test('are those of the fonts in Chromium; UPDATE_GOLDEN=1 measures them anew', async ({ browser }) => {
    const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCodePoint(code))
      .filter((character) => new RegExp(`[${CHARSET}]`).test(character))
      .join('');
    const page = await browser.newPage();
    await page.setContent(DOCUMENT);
    const measured = await page.evaluate(`(async () => {
      await Promise.all([...document.fonts].map((face) => face.load()));
      const canvas = document.createElement('canvas').getContext('2d');
      const widths = (weight) => {
        canvas.font = weight + ' 1000px Label';
        return [...${JSON.stringify(characters)}].map((character) => Math.round(canvas.measureText(character).width)).join(' ');
      };
      return { medium: widths(500), bold: widths(700) };
    })()`);
    const path = new URL('../../../services/label-worker/label/fonts/widths.json', import.meta.url);
    const now = { characters, ...(measured as object) };
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, `${JSON.stringify(now, null, 2)}\n`);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(now);
  });
});
