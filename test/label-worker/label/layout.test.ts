import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DOTS_PER_POINT } from '#services/label-worker/drawing.ts';
import { NO_BREAK, widthOf } from '#services/label-worker/label/line-breaking.ts';
import { logoLayout } from '#services/label-worker/label/logo-layout.ts';
import { renderLabel } from '#services/label-worker/label/render-label.ts';
import { Sheet } from '#services/label-worker/label/sheet.ts';
import { compileTemplate } from '#services/label-worker/label/template-files/compile-template.ts';
import { everywhere } from '#services/label-worker/label/template-files/sample-labels.ts';
import { fitColumn, fitText } from '#services/label-worker/label/text-fitting.ts';
import { labelView } from '#services/label-worker/label/view.ts';
import { LABEL_KINDS } from '#shared/labels/label-kinds.ts';
import { label } from '#test/fixtures/labels/labels.ts';

const texts = (setting: Parameters<typeof fitText>[1], text: string) => {
  const { lines, size } = fitText(text, setting);
  return { size, lines: lines.map(({ text }) => text) };
};
/** Room for so many em of 10 pt. */
const em = (count: number) => count * 10 * DOTS_PER_POINT;

describe('fitText', () => {
  const words = 'Avenida de los Insurgentes Sur 1234';
  const width = em(widthOf(words, 'medium'));

  it.each([
    ['what fits is one line of the full size', 1.01, 1, { size: 10, lines: [words] }],
    ['a little too long is smaller', 0.85, 1, { size: 8, lines: [words] }],
    ['lines break between words', 0.6, 2, { size: 10, lines: ['Avenida de los', 'Insurgentes Sur 1234'] }],
    ['what is far too long is cut', 0.1, 1, { size: 6, lines: ['Ave…'] }],
  ])('%s', (_, share, lines, expected) => {
    expect(texts({ size: 10, width: width * share, maxLines: lines }, words)).toEqual(expected);
  });

  it('keeps to its room, whatever the text, and loses nothing without an ellipsis', () => {
    const text = fc.string({ unit: fc.constantFrom(...'aWi. ñÁ—1'), maxLength: 200 });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 20, max: 1_500 }),
        fc.integer({ min: 6, max: 40 }),
        fc.integer({ min: 1, max: 3 }),
        (text, width, size, lines) => {
          const set = fitText(text, { size, width, maxLines: lines, bold: true });
          const whole = text.replace(/ /g, '');
          const shown = set.lines
            .map((line) => line.text)
            .join('')
            .replace(/ /g, '');
          if (shown.endsWith('…')) expect(whole.startsWith(shown.slice(0, -1))).toBe(true);
          else expect(shown).toBe(whole);
          const tallest =
            fitText('x', { size, bold: true }).height + (lines - 1) * 1.12 * size * DOTS_PER_POINT;
          expect(set.height).toBeLessThanOrEqual(tallest + 0.1);
          for (const { text } of set.lines) {
            // A single letter, or the ellipsis alone, may be wider than a room that takes none.
            if (text.length > 1)
              expect(widthOf(text, 'bold') * set.size * DOTS_PER_POINT).toBeLessThanOrEqual(width + 0.1);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe.each(LABEL_KINDS)('on a %s label', (kind) => {
  it('a long word in a field is shown as far as its room goes', () => {
    const word = 'https://maps.example/'.repeat(12);
    const { html } = renderLabel(everywhere(word, { kind }));
    const texts = [...html.matchAll(/<tspan[^>]*>([^<]*)</g)].map(([, text = '']) => text);
    const shown = (start: RegExp) => texts.some((text) => start.test(text));
    expect(shown(/^Ref(erencias:|\.) https:\/\/maps/)).toBe(true);
    expect(shown(/^Col\. https:\/\/maps/)).toBe(true);
    expect(shown(/^C\.P\. 64000 https:\/\/maps/)).toBe(true);
    expect(shown(/^Referencia: https:\/\/maps/)).toBe(true);
  });
});

it('no column is higher than its room, whatever its fields say, or is refused for all that they may say', () => {
  const field = fc.record({
    text: fc.integer({ min: 1, max: 120 }).map((length) => 'Calle Niños Héroes '.repeat(7).slice(0, length)),
    size: fc.integer({ min: 6, max: 20 }),
    maxLines: fc.integer({ min: 1, max: 3 }),
    framed: fc.boolean(),
  });
  const dots = fc.integer({ min: 40, max: 400 });
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 6 }), dots, dots, (fields, width, height) => {
      const column = { width, height, gap: 3, maxScale: 1.25 };
      const fitting = (text: (given: string) => string) => () =>
        fitColumn(
          fields.map((each) => ({ ...each, text: text(each.text) })),
          column,
        );
      const least = fitting(() => 'x');
      try {
        least();
      } catch (error) {
        expect(fitting((text) => text)).toThrow((error as Error).message);
        return;
      }
      const fitted = fitting((text) => text)();
      for (const { frame, lines } of fitted) {
        if (!frame) continue;
        expect(frame.top).toBeLessThan(lines[0]?.y ?? 0);
        expect(frame.top + frame.height).toBeGreaterThan(lines.at(-1)?.y ?? 0);
        expect(frame.top + frame.height).toBeLessThanOrEqual(height + 0.1);
      }
      const last = fitted.at(-1);
      expect((last?.lines.at(-1)?.y ?? 0) + 0.2 * (last?.size ?? 0) * DOTS_PER_POINT).toBeLessThanOrEqual(
        height + 0.1,
      );
    }),
    { numRuns: 300 },
  );
});

describe('a column whose address stays whole', () => {
  const DOTS_AT_LEAST_SIZE = 1.12 * 6 * DOTS_PER_POINT;
  const words = (length: number) =>
    'Prolongación Paseo de los Niños Héroes '.repeat(7).slice(0, length).trim();
  const address = fc.record({
    name: fc.integer({ min: 1, max: 120 }).map(words),
    street: fc.integer({ min: 1, max: 120 }).map(words),
    reference: fc.integer({ min: 1, max: 250 }).map(words),
  });
  const fieldsOf = ({ name, street, reference }: Record<'name' | 'street' | 'reference', string>) => [
    { text: name, size: 14, maxLines: 2, bold: true, whole: true, importance: 1 },
    { text: street, tail: 'Km 14.5 Int. B-302', size: 10, maxLines: 2, whole: true, importance: 2 },
    { text: reference, size: 10, maxLines: 6 },
  ];
  const printed = (lines: readonly { text: string }[] = []) =>
    lines.map(({ text }) => text.replaceAll(NO_BREAK, ' '));
  const shown = (lines: readonly { text: string }[]) => printed(lines).join(' ');

  it('keeps to its room, and cuts what is not whole first', () => {
    const height = fc.integer({ min: 5, max: 20 }).map((lines) => Math.ceil(lines * DOTS_AT_LEAST_SIZE));
    fc.assert(
      fc.property(address, fc.integer({ min: 420, max: 900 }), height, (given, width, height) => {
        const [name, street, reference] = fitColumn(fieldsOf(given), {
          width,
          height,
          gap: 0,
          maxScale: 1.25,
        });
        if (!name || !street || !reference) throw new Error('A field is missing');
        const last = reference.lines.at(-1)?.y ?? 0;
        expect(last + 0.2 * reference.size * DOTS_PER_POINT).toBeLessThanOrEqual(height + 0.1);
        expect(shown(street.lines)).toMatch(/Km 14\.5 Int\. B-302$/);
        for (const { size } of [name, street, reference]) expect(size).toBeGreaterThanOrEqual(6);
        if (name.cut || street.cut) expect(reference.lines).toHaveLength(1);
        // The more important of two is cut last.
        if (street.cut) expect(name.lines).toHaveLength(1);
        if (!name.cut) expect(shown(name.lines)).toBe(given.name);
        if (!street.cut) expect(shown(street.lines)).toBe(`${given.street} Km 14.5 Int. B-302`);
      }),
      { numRuns: 300 },
    );
  });

  it("begins a line with a street's numbers rather than parting them", () => {
    const [street] = fitColumn(
      [{ text: 'Av. 20 de Noviembre', tail: 'Mz 3 Int. Oficina 2', size: 10, whole: true }],
      {
        width: em(widthOf('Av. 20 de Noviembre Mz 3 Int. Oficina', 'medium') + 0.1),
        height: 60,
        gap: 0,
      },
    );
    expect(printed(street?.lines)).toEqual(['Av. 20 de Noviembre', 'Mz 3 Int. Oficina 2']);
  });
});

it('an address says Int. and Col. once, also where the customer has written them', () => {
  const { recipient } = labelView(
    label({ recipient: { Numero_interior: 'Int. 5', Colonia: 'Col. Roma Norte' } }),
  );
  expect([recipient.numbers.endsWith(' Int. 5'), recipient.district]).toEqual([true, 'Col. Roma Norte']);
  expect(recipient.street).not.toContain('Int. Int.');
});

it.each([
  ['FRAGIL', 'FRÁGIL', ''],
  ['Contiene piezas frágiles', 'FRÁGIL', ''],
  ['no es frágil', 'FRÁGIL', ''],
  ['este  lado hacia ARRIBA', '', 'ESTE LADO ARRIBA'],
  ['Fragile. This side up!', 'FRÁGIL', 'ESTE LADO ARRIBA'],
  ['Prueba de fragilidad; este lado', '', ''],
])('where additional information says "%s", the marks are "%s" and "%s"', (said, fragile, upright) => {
  const payload = label();
  payload.guide.Producto = { Contenido: 'Jarra frágil', InformacionAdicional: said };
  expect(labelView(payload).handling).toEqual({ fragile, upright });
});

it.each([
  [0.0001, '0.001'],
  [0.0004, '0.001'],
  [0.0005, '0.001'],
  [0.25, '0.25'],
  [999.9994, '999.999'],
])('a measure of %d shows as %s, never as 0', (measure, shown) => {
  const payload = label();
  payload.guide.Producto = { Contenido: 'Libros', Peso: measure, Alto: measure };
  const { goods } = labelView(payload);
  expect([goods.weight, goods.measures]).toEqual([`${shown} kg`, `— × — × ${shown} cm`]);
});

const ROOM = { x: 96, y: 104, width: 360, height: 104 };
const svg = (viewBox: string) =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${viewBox}/>`).toString('base64')}`;
const png = (width: number, height: number) => {
  const header = Buffer.alloc(24);
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return `data:image/png;base64,${header.toString('base64')}`;
};

it.for([
  ['viewBox="0 0 300 60"', 360, 72],
  ['viewBox="0,0,300,60"', 360, 72],
  ['viewBox = " 0, 0  300 ,\t60 "', 360, 72],
  ["viewBox='0 0 3e2 60.0'", 360, 72],
  ['viewBox="0 0 60 60"', 104, 104],
] as const)('a logo with %s is %i × %i dots', ([viewBox, width, height]) => {
  expect(logoLayout(svg(viewBox), ROOM)).toEqual({ x: 96, y: 104 + (104 - height) / 2, width, height });
});

it.for([svg('viewBox="0 0 0 0"'), svg('viewBox="0 0 9"'), png(0, 0), png(9, 0)])(
  'a logo without a size is not drawn: %s',
  (logo) => {
    expect(() => logoLayout(logo, ROOM)).toThrow('The logo has no size');
  },
);

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

it('a caption that is not on every label is not on the underlay', () => {
  const { underlay, rest } = drawn(
    '{{#if goods.kind}}{{text "TIPO" x=1 y=9 size=8}}{{/if}}' +
      '{{#logo carrier.logo x=1 y=1 width=9 height=9 gap=0 right=99 as |beside|}}{{text "FIJO" x=beside.x y=9 size=8}}{{/logo}}',
  );
  expect(underlay).toEqual([]);
  expect(rest).toEqual(['TIPO', 'FIJO']);
});
