import { describe, expect } from 'vitest';
import { CHARSET, inCharset } from '#services/label-worker/label/charset.ts';
import { DOCUMENT } from '#services/label-worker/label/document.ts';
import { test } from '#test/fixtures/browser.ts';

const LOAD_FONTS = 'Promise.all([...document.fonts].map((face) => face.load())).then(() => {})';

describe('the label’s characters', () => {
  test.each([
    ['Ñandú Łódź ß €', 'Ñandú Łódź ß €'],
    ['n\u0303 e\u0301', 'ñ é'],
    ['ﬁn ½ ṣ Ａ ①', 'fin ½ s A 1'],
    ['Casa 🏠 azul', 'Casa • azul'],
    ['שלום', '••••'],
    ['e\u0334\u0337x', 'ex'],
    ['a\u202eb\u200bc\ufeff', 'abc'],
    ['a\tb\nc', 'a b c'],
  ])('%j prints as %j', (text, expected) => {
    expect(inCharset(text)).toBe(expected);
  });

  test('are all in the font, in both weights', async ({ browser }) => {
    const all = Array.from({ length: 0x2200 }, (_, code) => String.fromCodePoint(code))
      .filter((character) => new RegExp(`[${CHARSET}]`).test(character))
      .join('');
    const page = await browser.newPage();
    await page.setContent(DOCUMENT);
    const cdp = await page.createCDPSession();
    await page.evaluate(`document.body.innerHTML = '<p></p><b></b>';
      for (const element of document.body.children) element.textContent = ${JSON.stringify(all)}`);
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
