import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { DOCUMENT } from '#services/label-worker/label/document.ts';
import { CHARSET, inCharset, isPrintable, unprintable } from '#shared/labels/label-charset.ts';
import { test } from '#test/fixtures/browser.ts';

/** Every character that a label prints as itself. */
const CHARACTERS = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCodePoint(code))
  .filter((character) => new RegExp(`[${CHARSET}]`).test(character))
  .join('');
const LOAD_FONTS = 'Promise.all([...document.fonts].map((face) => face.load())).then(() => {})';

describe('the label’s characters', () => {
  test.each([
    ['Ñandú Łódź ß €', 'Ñandú Łódź ß €'],
    ['n\u0303 e\u0301', 'ñ é'],
    ['Ολυμπία, ул. Щукина, Nguyễn Ọlá', 'Ολυμπία, ул. Щукина, Nguyễn Ọlá'],
    ['№ 5 ☎ ½ ≤ 8 °C → ✓ ★ ₱', '№ 5 ☎ ½ ≤ 8 °C → ✓ ★ ₱'],
    ['ﬁn ḳ ᾳ Ａ ① ㎏', 'fin k α A 1 kg'],
    ['⚠\ufe0f Casa 🏠 azul', '⚠ Casa • azul'],
    ['שלום', '••••'],
    ['王 ㍿ ㋀', '• • •'],
    ['e\u0334\u0337x', 'ex'],
    ['a\u202eb\u200bc\ufeff', 'abc'],
    ['a\tb\nc', 'a b c'],
    ['Constan\u00adtinopla', 'Constantinopla'],
  ])('%j prints as %j', (text, expected) => {
    expect(inCharset(text)).toBe(expected);
  });

  test('are those that a warning does not name, whatever the text', () => {
    const unit = fc.oneof(
      fc.constantFrom(...'aÑ•ΩЖḳ①ﬁ㋀王🏠한가ة\u0301\u0323\u200d\ufe0f\u1100\u1161\u2126\ud800'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        const text = units.join('').replaceAll('•', '');
        const printed = inCharset(text);
        expect(isPrintable(text)).toBe(!printed.includes('•'));
        expect(unprintable(text).length > 0).toBe(printed.includes('•'));
        expect(inCharset(printed)).toBe(printed);
      }),
      { numRuns: 1_000 },
    );
  });

  test.for(['ḳ', 'Ω', '𝐀', 'a\u0323\u0334', '\u200b'])(
    'are told from others in a megabyte of %j at once',
    (unit) => {
      const text = unit.repeat(1_000_000 / unit.length);
      const began = process.cpuUsage();
      expect(isPrintable(text)).toBe(true);
      expect(process.cpuUsage(began).user / 1_000).toBeLessThan(1_000);
    },
  );

  test('are all in the font, in both weights', async ({ browser }) => {
    const page = await browser.newPage();
    await page.setContent(DOCUMENT);
    const cdp = await page.createCDPSession();
    await page.evaluate(`document.body.innerHTML = '<p></p><b></b>';
      for (const element of document.body.children) element.textContent = ${JSON.stringify(CHARACTERS)}`);
    await page.evaluate(LOAD_FONTS);
    await cdp.send('DOM.enable');
    await cdp.send('CSS.enable');
    const { root } = await cdp.send('DOM.getDocument');
    for (const selector of ['p', 'b']) {
      const { nodeId } = await cdp.send('DOM.querySelector', { nodeId: root.nodeId, selector });
      const { fonts } = await cdp.send('CSS.getPlatformFontsForNode', { nodeId });
      expect(fonts.map(({ isCustomFont }) => isCustomFont)).not.toContain(false);
      expect(fonts.length).toBeGreaterThan(0);
    }
    await page.close();
  });
});

describe('widths', () => {
  test('are those of the fonts in Chromium; UPDATE_GOLDEN=1 measures them anew', async ({ browser }) => {
    const page = await browser.newPage();
    await page.setContent(DOCUMENT);
    const measured = await page.evaluate(`(async () => {
      await Promise.all([...document.fonts].map((face) => face.load()));
      const canvas = document.createElement('canvas').getContext('2d');
      const widths = (weight) => {
        canvas.font = weight + ' 1000px Label';
        return [...${JSON.stringify(CHARACTERS)}].map((character) => Math.round(canvas.measureText(character).width)).join(' ');
      };
      return { medium: widths(500), bold: widths(700) };
    })()`);
    const path = new URL('../../../services/label-worker/label/fonts/widths.json', import.meta.url);
    const now = { characters: CHARACTERS, ...(measured as object) };
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, `${JSON.stringify(now, null, 2)}\n`);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(now);
  });
});
