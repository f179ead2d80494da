import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, inject } from 'vitest';
import { buildLabelWorker } from '#services/label-worker/app.ts';
import { LabelPrinter } from '#services/label-worker/batching/label-printer.ts';
import { printUnderlays } from '#services/label-worker/batching/print-underlays.ts';
import { LabelWorkerConfig } from '#services/label-worker/config.ts';
import { sample, sampleLabels } from '#services/label-worker/label/template-files/sample-labels.ts';
import { type LabelTemplates, loadTemplates } from '#services/label-worker/label/templates.ts';
import { tryTemplates } from '#services/label-worker/try-templates.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import type { LabelKind } from '#shared/labels/label-kinds.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { TEMPLATE_VERSION } from '#shared/printing/label-job.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { pagesOf } from '#test/fixtures/labels/pictures.ts';
import { startTestBrowser } from '#test/fixtures/labels/printing-browser.ts';

/** What an operator's own templates may be, and how a wrong one is told (docs/labels.md "Templates of your own"). */

type Files = Record<string, string>;
const test = folderTest
  .extend('folderOf', { scope: 'file' }, ({ folder }) => async (files: Files) => {
    const own = await mkdtemp(join(folder, 'templates-'));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(own, name)), { recursive: true });
      await writeFile(join(own, name), text);
    }
    return own;
  })
  .extend('printerOf', { scope: 'file' }, async ({}, { onCleanup }) => {
    const { printHtml, tryPrint, close } = await startTestBrowser();
    onCleanup(close);
    return async (templates: LabelTemplates) => {
      const underlays = await printUnderlays(printHtml, templates);
      return new LabelPrinter({ templates, underlays, printHtml, tryPrint, concurrency: 1, maxLabels: 50 });
    };
  });

const BARCODE = '{{barcode package.code height=120 module=3}}';
/** A template whose third line, and those after it, are these. */
const withLines = (
  lines: string,
  start = '{{#page width="100mm" height="150mm"}}{{#eachPackage as |package|}}',
) => `${start}\n${BARCODE}\n${lines}\n{{/eachPackage}}{{/page}}\n`;

/** What the error says, with the folder's name taken out. */
async function errorOf(own: string, use: () => unknown): Promise<string> {
  const error = await new Promise((resolve) => resolve(use())).then(
    () => new Error('nothing is wrong'),
    (thrown: Error) => thrown,
  );
  return error.message.replaceAll(`${own}/`, '');
}

describe('a template is refused when it is read', () => {
  test.for<[lines: string, message: string]>([
    ['<b>{{recipient.name</b>', 'medium.hbs:3: '],
    ['\n{{{recipient.name}}}', 'medium.hbs:4: texts are escaped: write {{ }} and not {{{ }}} or {{& }}'],
    ['\n{{fit package.cod width=9 size=9}}', 'medium.hbs:4: there is no field "package.cod"'],
    ['<p>\n<style>p { color: {{x}} }</style>', 'medium.hbs:4: styles stand before {{#page}}'],
  ])('%j: %s', async ([lines, message], { folderOf }) => {
    const own = await folderOf({ 'medium.hbs': withLines(lines) });
    expect(await errorOf(own, () => loadTemplates(own))).toContain(message);
  });

  test.for<[files: Files, message: string]>([
    [
      { 'medium.html': '' },
      'medium.html: this is not the name of a template; those are letter.hbs, small.hbs, medium.hbs',
    ],
    [{ 'medium.hbs/a': '' }, 'medium.hbs: this cannot be read: EISDIR'],
    [{ '.hidden': '' }, 'this folder has no template'],
    [
      { 'medium.hbs': BARCODE },
      'medium.hbs:1: {{#page width="…mm" height="…mm"}} must be around everything but styles',
    ],
    [
      { 'medium.hbs': withLines('', '{{#page width="100" height="150mm"}}{{#eachPackage as |package|}}') },
      'medium.hbs:1: {{#page}}: width must be a length, such as "100mm", not "100"',
    ],
    [
      { 'medium.hbs': `\n<style>p { color: {{x}} }</style>\n${withLines('')}` },
      'medium.hbs:2: outside of {{#page}} stand <style> elements without {{ }}, and nothing else',
    ],
  ])('%j: %s', async ([files, message], { folderOf }) => {
    const own = await folderOf(files);
    expect(await errorOf(own, () => loadTemplates(own))).toContain(message);
  });

  test('a file that is not in UTF-8', async ({ folderOf }) => {
    const own = await folderOf({});
    await writeFile(join(own, 'medium.hbs'), Buffer.from(`\ufeff${withLines('')}`, 'utf16le'));
    expect(await errorOf(own, () => loadTemplates(own))).toBe('medium.hbs: this is not in UTF-8');
  });

  test('a link that leads nowhere', async ({ folderOf }) => {
    const own = await folderOf({});
    await symlink('nowhere', join(own, 'medium.hbs'));
    expect(await errorOf(own, () => loadTemplates(own))).toBe('medium.hbs: this cannot be read: ENOENT');
  });
});

describe('a template is tried at start, and refused', () => {
  test.for<[lines: string, message: string]>([
    ['\n{{frame recipient.name}}', 'medium.hbs:4: there is no helper "frame"'],
    ['{{> ../../etc/passwd}}', 'medium.hbs: The partial ../../etc/passwd could not be found'],
    ['{{recipient.nme}}', 'medium.hbs:3: there is no field "nme"'],
    ['{{barcode code height=120 module=3 y=3}}', 'medium.hbs:3: a position has both coordinates, or none'],
    ['\n{{text recipient.name y=100 size=9}}', 'medium.hbs:4: {{text}} needs one of x, middle and right'],
    [
      '{{qr tracking.url size=225.5}}',
      'medium.hbs:3: {{qr}}: size must be a whole number of dots above 0, not 225.5',
    ],
    [
      '<div style="transform:rotate(90deg);width:400px">{{barcode code height=120 module=3}}</div>',
      'medium.hbs: A code of 363 × 120 dots has a room of ',
    ],
    [
      '{{#column x=9 y=500 width=700 height=60 gap=0}}{{field recipient.name size=12}}\n{{field recipient.street size=12 maxLines=2}}{{/column}}',
      'medium.hbs:3: the fields of {{#column}} may be 69 dots high, and it has 60',
    ],
    ['<p>\n<b>x</p>', 'medium.hbs: The print has 4 pages, not 3'],
    [
      '{{fit package.mark width=90 size=9}}',
      'medium.hbs: the mark "COBRAR $12,450.50" is not whole on page 1 of the sample "marked"',
    ],
    [
      '{{text mark x=9 y=900 size=9}}',
      'medium.hbs: the mark "COBRO EN EL PAQUETE 1 DE 3" is not whole on page 2 of the sample "marked"',
    ],
    [
      '<div style="visibility:hidden">{{package.mark}}</div><p>x</p>',
      'medium.hbs: the mark "COBRAR $12,450.50" is not whole on page 1 of the sample "marked"',
    ],
    [
      '<div style="margin-top:-18mm;border-top:20mm solid"></div>',
      'medium.hbs: a scanner cannot read the code 482913650724-01 on page 1 of the sample "usual"',
    ],
    [
      '<div style="display:none">{{qr tracking.url size=200}}</div>',
      'medium.hbs: 3 of 6 codes have no place on a page',
    ],
    ['<div style="visibility:hidden">{{recipient.name}}</div>', 'medium.hbs: A page shows 0 letters of 1'],
    [
      '{{barcode code middle=100 y=800 height=120 module=3}}',
      'medium.hbs: a scanner cannot read the code 482913650724 on page 1 of the sample "usual"',
    ],
  ])('%j: %s', async ([lines, message], { folderOf, printerOf }) => {
    const own = await folderOf({ 'medium.hbs': withLines(lines) });
    const templates = loadTemplates(own);
    const found = await errorOf(own, async () => tryTemplates(templates, await printerOf(templates)));
    expect(found).toContain(message);
  });

  test('a style that makes a label look otherwise beside others', async ({ folderOf, printerOf }) => {
    const styled = `<style>section + section p { padding-left: 9mm }</style>${withLines('<p>{{code}}</p>')}`;
    const own = await folderOf({ 'medium.hbs': styled });
    const templates = loadTemplates(own);
    const printer = await printerOf(templates);
    expect(await errorOf(own, () => tryTemplates(templates, printer))).toBe(
      'medium.hbs: the sample "pick-up" looks otherwise beside other labels: is an element not closed?',
    );
  });

  test.for<[markup: string, message: string]>([
    [BARCODE, '1 pages for 3 packages: {{#eachPackage}} makes a page for each'],
    ['{{#eachPackage}}x{{/eachPackage}}', 'there is no {{barcode}} on page 1 of the sample "usual"'],
  ])('%s: %s', async ([markup, message], { folderOf, printerOf }) => {
    const text = `{{#page width="100mm" height="100mm"}}${markup.replace('package.', '')}{{/page}}`;
    const own = await folderOf({ 'small.hbs': text });
    const templates = loadTemplates(own);
    const printer = await printerOf(templates);
    expect(await errorOf(own, () => tryTemplates(templates, printer))).toBe(`small.hbs: ${message}`);
  });

  test('and the worker does not start', async ({ folderOf }) => {
    const own = await folderOf({ 'medium.hbs': withLines('{{recipient.nme}}') });
    const config = loadConfig(LabelWorkerConfig, {
      REDIS_URL: inject('redisUrl'),
      LABEL_CACHE_URL: inject('labelCacheUrl'),
      REDIS_PREFIX: '{none}',
      CHROMIUM_PATH: inject('chromiumPath'),
      LABEL_TEMPLATES: own,
    });
    const start = () => buildLabelWorker(config, createLogger('test', 'silent'));
    expect(await errorOf(own, start)).toBe('medium.hbs:3: there is no field "nme"');
  });
});

test('a template that cuts the longest address is warned about, and prints', async ({
  folderOf,
  printerOf,
}) => {
  const cutting = '{{#column width=748 height=312 gap=0}}{{field recipient.name size=15 maxLines=2}}';
  const short = `${cutting}{{field recipient.street size=11}}{{field recipient.place size=11}}{{/column}}`;
  const whole = '<p style="width:95mm">{{recipient.name}}, {{recipient.street}}, {{recipient.place}}</p>';
  const warningsOf = async (lines: string) => {
    const own = await folderOf({ 'medium.hbs': withLines(lines) });
    const templates = loadTemplates(own);
    const warnings = await tryTemplates(templates, await printerOf(templates));
    return warnings.map((warning) => warning.replace(`${own}/`, ''));
  };
  expect(await warningsOf(short)).toEqual([
    'medium.hbs: the longest address is cut: Destinatario.Calle, Destinatario.Numero_exterior, Destinatario.Numero_interior, Destinatario.Municipio, Destinatario.Estado. Such a parcel may not reach its door',
  ]);
  expect(await warningsOf(whole)).toEqual([]);
});

test.for<[start: string, end: string, kind: LabelKind]>([
  ['{{#eachPackage as |each|}}{{barcode each.code height=120 module=3}}', '{{/eachPackage}}', 'medium'],
  ['{{#eachPackage}}{{barcode code height=120 module=3}}', '{{/eachPackage}}', 'medium'],
  ['{{barcode code height=120 module=3}}', '', 'letter'],
])(
  'a template that shows no mark gets that of each package at its edge: %s',
  async ([start, end, kind], { folderOf, printerOf }) => {
    const text = `{{#page width="100mm" height="150mm"}}${start}${end}{{/page}}`;
    const templates = loadTemplates(await folderOf({ [`${kind}.hbs`]: text }));
    const printer = await printerOf(templates);
    const { marked, usual } = sampleLabels(kind);
    const textsOf = async (label = sample()) =>
      (await readLabel(Buffer.from(await printer.print(label)))).map(({ text: shown }) => shown.trim());
    const others = 'COBRO EN EL PAQUETE 1 DE 3';
    expect(await textsOf(marked)).toEqual(['COBRAR $12,450.50', others, others].slice(0, marked?.packages));
    expect(await textsOf(usual)).toEqual(['', '', ''].slice(0, usual?.packages));
    expect(await tryTemplates(templates, printer)).toEqual([]);
  },
);

test('a template may leave fields out, and hide all of its captions', async ({ folderOf, printerOf }) => {
  const lines = '{{text "CAPTION" x=50 y=500 size=20 class="caption"}}<p>{{code}}</p>';
  const own = await folderOf({
    'medium.hbs': `<style>.caption { display: none }</style>${withLines(lines)}`,
  });
  const templates = loadTemplates(own);
  expect(await tryTemplates(templates, await printerOf(templates))).toEqual([]);
});

test("a template's version follows its content; ours is for other kinds", async ({ folderOf }) => {
  const versions = async (lines: string) => {
    const { letter, medium } = loadTemplates(await folderOf({ 'medium.hbs': withLines(lines) }));
    return { letter: letter.version, medium: medium.version };
  };
  const [one, same, other] = [await versions('a'), await versions('a'), await versions('b')];
  expect(one).toEqual(same);
  expect(other.medium).not.toBe(one.medium);
  expect(one.medium).toMatch(new RegExp(`^${TEMPLATE_VERSION}-[\\w-]{16}$`));
  expect(one.letter).toBe(TEMPLATE_VERSION);
});

test('the files of a ConfigMap, which are links, are read', async ({ folderOf }) => {
  const own = await folderOf({ '..2026_11_22/medium.hbs': withLines('') });
  await symlink('..2026_11_22', join(own, '..data'));
  await symlink('..data/medium.hbs', join(own, 'medium.hbs'));
  expect(loadTemplates(own).medium.file).toBe(join(own, 'medium.hbs'));
});

test('a value in an attribute of a helper stays text', async ({ folderOf, printerOf }) => {
  const lines =
    '{{text code class=goods.kind x=50 y=500 size=20}}{{fit code class=goods.kind width=400 size=20}}';
  const templates = loadTemplates(await folderOf({ 'medium.hbs': withLines(lines) }));
  const printer = await printerOf(templates);
  const hostile = sample({ kind: 'medium' });
  hostile.guide = {
    ...hostile.guide,
    Producto: { ...hostile.guide.Producto, TipoEnvio: '"><style>*{display:none}</style>' },
  };
  const [, other] = await Promise.all(
    [hostile, sample({ kind: 'medium' }), hostile].map((label) => printer.print(label)),
  );
  const alone = await printer.print(sample({ kind: 'medium' }));
  expect(await pagesOf(other as Uint8Array, 203.2)).toEqual(await pagesOf(alone, 203.2));
  const [page] = await readLabel(Buffer.from(await printer.print(hostile)));
  expect(page?.text.match(/482913650724/g)).toHaveLength(2);
});

test('styles of one kind do not touch another', async ({ folderOf, printerOf }) => {
  const medium = `<style>section, text { display: none }</style>${withLines('')}`;
  const hiding = await printerOf(loadTemplates(await folderOf({ 'medium.hbs': medium })));
  const ours = await printerOf(loadTemplates(undefined));
  const labels = (['medium', 'small', 'medium', 'small'] as const).map((kind) => sample({ kind }));
  const printed = await Promise.allSettled(labels.map((label) => hiding.print(label)));
  expect(printed.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  const small = (printed[3] as PromiseFulfilledResult<Uint8Array>).value;
  expect(await pagesOf(small, 203.2)).toEqual(
    await pagesOf(await ours.print(sample({ kind: 'small' })), 203.2),
  );
});
