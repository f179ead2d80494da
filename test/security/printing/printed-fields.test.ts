import type { TSchema } from 'typebox';
import { describe, expect } from 'vitest';
import { DOCUMENT } from '#services/label-worker/label/document.ts';
import { renderLabel } from '#services/label-worker/label/render-label.ts';
import {
  everywhere,
  sample,
  sampleLabels,
} from '#services/label-worker/label/template-files/sample-labels.ts';
import { loadTemplates, OUR_TEMPLATES } from '#services/label-worker/label/templates.ts';
import { LABEL_KINDS } from '#shared/labels/label-kinds.ts';
import { isLabelPayload, LabelPayload } from '#shared/labels/label-payload.ts';
import { test as browserTest } from '#test/fixtures/browser.ts';

/**
 * Whatever a text says, a label has the elements and attributes that its template has, and shows the text. The texts
 * are put in behind the checks of the API and the queue: those alone shall not have to hold.
 */

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '</style></text></svg></section></body><iframe src=//x>',
  '</text></svg><style>*{display:none}</style>',
  '<!--',
  ']]><![CDATA[',
  '<svg><style><img title="</style><b>">',
  '<math><mtext><table><mglyph><style><b>',
  '}*{background:url(//x)}{',
  'x;background:url(javascript:alert(1))',
  '{{this}}{{{this}}}{{> codes}}',
  '{{#with (lookup this "constructor")}}x{{/with}}',
  '{{constructor.constructor "return 1"}}',
  '{{fit x 1 1}}',
  '&lt;b&gt;&#60;b&#62;',
  '\u0000<b>\u2028<b>',
  '+ADw-script+AD4-',
];
/** By this a text is found on the label; it comes first, since a long text may be cut. */
const MARK = 'MARK';

/** The paths of all texts of the payload, from its schema, so that a new field is tried too. */
function textPaths(schema: TSchema, path: string[] = []): string[][] {
  const { properties, items, type, enum: values, pattern } = schema as Record<string, unknown>;
  if (items) return textPaths(items as TSchema, [...path, '0']);
  if (properties) {
    return Object.entries(properties as Record<string, TSchema>).flatMap(([name, inner]) =>
      textPaths(inner, [...path, name]),
    );
  }
  // What is one of a list, or of digits and signs only, is checked where the job is taken.
  const free = type === 'string' && !values && !(path.length === 1 && pattern);
  return free ? [path] : [];
}
const PATHS = textPaths(LabelPayload);
function replaced<T>(value: T, [name, ...rest]: string[], by: string): T {
  if (name === undefined) return by as T;
  if (Array.isArray(value)) return value.map((part) => replaced(part, rest, by)) as T;
  return { ...value, [name]: replaced((value as Record<string, unknown>)[name], rest, by) };
}

type Parsed = { elements: string[]; marked: string[]; text: string };

/** What the browser makes of labels: kinds of elements, the attributes that hold the mark, and the text. */
const test = browserTest.extend('parsed', { scope: 'file' }, async ({ browser }) => {
  const page = await browser.newPage();
  await page.setContent(DOCUMENT);
  return async (htmls: string[]) =>
    (await page.evaluate(`(${JSON.stringify(htmls)}).map((html) => {
    document.body.innerHTML = html;
    const elements = [...document.body.querySelectorAll('*')];
    const attributes = elements.flatMap((element) => [...element.attributes]);
    return {
      elements: [...new Set(elements.map((element) => element.nodeName + '[' + element.getAttributeNames() + ']'))],
      marked: attributes.filter(({ value }) => value.includes('${MARK}')).map(({ name }) => name),
      text: document.body.textContent,
    };
  })`)) as Parsed[];
});

test('every text of the payload is tried', () => {
  expect(PATHS.length).toBeGreaterThan(25);
  expect(isLabelPayload(sample())).toBe(true);
});

/** Our templates, and one in HTML of an operator's own. */
const DRAWN = [
  ...LABEL_KINDS.map((kind) => ({ name: kind, kind, templates: OUR_TEMPLATES })),
  { name: 'medium (HTML)', kind: 'medium', templates: loadTemplates('examples/templates/html') } as const,
];

describe.each(DRAWN)('on a $name label', ({ kind, templates }) => {
  const label: LabelPayload = { ...sample(), kind };
  const { 'pick-up': pickedUp = label, marked = label } = sampleLabels(kind);
  let usual: Set<string>;
  test.beforeAll(async ({ parsed }) => {
    // Texts of many lengths, since lines and sizes differ by them.
    const harmless = ['a', 'a b c d e f', 'word '.repeat(12), 'W'.repeat(120)];
    const labels = await parsed(
      [...harmless.map((text) => everywhere(text, { kind })), pickedUp, marked].map(
        (each) => renderLabel(each, templates).html,
      ),
    );
    usual = new Set(labels.flatMap(({ elements }) => elements));
  });

  test.for(PATHS.map((path) => [path.join('.'), path] as const))(
    '%s is text and nothing else',
    async ([_, path], { parsed }) => {
      const base = { pickUp: pickedUp, marks: marked }[String(path[0])] ?? label;
      const texts = [MARK, ...HOSTILE.map((text) => MARK + text)];
      const [plain, ...hostile] = await parsed(
        texts.map((text) => renderLabel(replaced<LabelPayload>(base, path, text), templates).html),
      );
      for (const [index, { elements, marked, text }] of hostile.entries()) {
        expect(
          elements.filter((element) => !usual.has(element)),
          HOSTILE[index],
        ).toEqual([]);
        expect(marked, HOSTILE[index]).toEqual([]);
        if (plain?.text.includes(MARK)) expect(text).toContain(MARK);
      }
    },
  );
});
