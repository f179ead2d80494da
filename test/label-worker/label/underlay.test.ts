import { expect, test } from 'vitest';
import { Sheet } from '#services/label-worker/label/sheet.ts';
import { compileTemplate } from '#services/label-worker/label/template-files/compile-template.ts';
import { labelView } from '#services/label-worker/label/view.ts';
import { label } from '#test/fixtures/labels/labels.ts';

/** Every label has one. */
const BARCODE = '{{barcode code middle=400 y=500 height=150 module=3}}';

/** Returns what a template draws with constants alone, and what it draws for a label: texts and rules. */
function drawn(body: string): { underlay: string[]; rest: string[] } {
  const source = `{{#page width="100mm" height="100mm"}}${body}${BARCODE}{{/page}}`;
  const template = compileTemplate({ file: 'small.hbs', source, version: '1', kind: 'small', isOurs: true });
  const [underlay, rest] = [new Sheet(), new Sheet()];
  template.drawUnderlay?.(underlay);
  template.draw(labelView(label()), rest);
  return { underlay: contentOf(underlay), rest: contentOf(rest) };
}

function contentOf(sheet: Sheet): string[] {
  const texts = [...sheet.html('small').matchAll(/<tspan[^>]*>([^<]*)</g)].map(([, text = '']) => text);
  const rules = sheet.drawing().shared.filter((shape) => shape.length === 1);
  return [...texts, ...rules.map(([rule]) => `rule at ${rule?.[0]}`)];
}

test('captions and rules are on the underlay, what a field says is not', () => {
  const { underlay, rest } = drawn(
    '{{text "ORIGEN" x=10 y=20 size=8}}{{text origin.code x=10 y=50 size=20}}{{rule x=7 y=60 width=9 height=2}}',
  );
  expect(underlay).toEqual(['ORIGEN', 'rule at 7']);
  expect(rest).toEqual([label().origin.code]);
});

test('a caption that is not on every label is not on the underlay', () => {
  const { underlay, rest } = drawn(
    '{{#if goods.kind}}{{text "TIPO" x=1 y=9 size=8}}{{/if}}' +
      '{{#logo carrier.logo x=1 y=1 width=9 height=9 gap=0 right=99 as |beside|}}{{text "FIJO" x=beside.x y=9 size=8}}{{/logo}}',
  );
  expect(underlay).toEqual([]);
  expect(rest).toEqual(['TIPO', 'FIJO']);
});

test('a caption of each package is on the underlay, a bold one stays with the label', () => {
  const { underlay, rest } = drawn(
    '{{#eachPackage as |one|}}{{text "BULTO" x=1 y=9 size=8}}{{text "Rastreo" x=1 y=9 size=8 bold=true}}{{/eachPackage}}',
  );
  expect([underlay, rest]).toEqual([['BULTO'], ['Rastreo']]);
});
