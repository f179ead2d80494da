import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, inject } from 'vitest';
import { buildLabelWorker } from '#services/label-worker/app.ts';
import { createLabelPrinter } from '#services/label-worker/batching/label-printer.ts';
import { printUnderlays } from '#services/label-worker/batching/print-underlays.ts';
import { LabelWorkerConfig } from '#services/label-worker/config.ts';
import { labelDocument } from '#services/label-worker/label/document.ts';
import { checkTemplates } from '#services/label-worker/label/template-files/check-templates.ts';
import { loadTemplates } from '#services/label-worker/label/templates.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { TEMPLATE_VERSION } from '#shared/contracts/label-job.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';
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
  /** A browser for templates that bring no styles. */
  .extend('browser', { scope: 'file' }, async ({ folderOf }, { onCleanup }) => {
    const templates = loadTemplates(await folderOf({ 'medium.hbs': withLines('') }));
    const browser = await startTestBrowser({ document: labelDocument(templates) });
    onCleanup(() => browser.close());
    return browser;
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

describe('a template is refused at start', () => {
  test.for<[lines: string, message: string]>([
    ['{{#if goods.weight}}', "medium.hbs:3: if doesn't match eachPackage"],
    ['<b>{{recipient.name</b>', 'medium.hbs:3: '],
    ['{{frame recipient.name}}', 'medium.hbs:3: there is no helper "frame"'],
    ['{{log recipient.name}}', 'medium.hbs:3: there is no helper "log"'],
    ['\n{{{recipient.name}}}', 'medium.hbs:4: texts are escaped: write {{ }} and not {{{ }}} or {{& }}'],
    ['{{> ../../etc/passwd}}', 'medium.hbs:3: a template is one file and has no partials'],
    ['{{qr tracking.url sise=200}}', 'medium.hbs:3: {{qr}} has no attribute "sise"'],
    ['{{qr tracking.url}}', 'medium.hbs:3: {{qr}} needs size='],
    ['\n{{fit package.cod width=9 size=9}}', 'medium.hbs:4: there is no field "package.cod"'],
    ['{{qr tracking.url size="5"}}', 'medium.hbs:3: {{qr}}: size must be a number'],
    ['\n<p>\n<script>alert(1)</script>', 'medium.hbs:5: a label can have no <script>'],
    ['<a href="https://a.example">x</a>', 'medium.hbs:3: a label can have no <a>'],
    [
      '<img src="https://a.example/logo.png">',
      'medium.hbs:3: a label loads nothing: write an image as a data: URI',
    ],
    [
      '<style>\n@import "x.css";</style>',
      'medium.hbs:4: styles of a label load nothing, and {{#page}} sets its page',
    ],
    [
      '<style>\n\np { color: {{x}} }</style>',
      'medium.hbs:5: styles are the same for all labels, so they can hold no {{ }}',
    ],
    ['<style>p { color: red }\n}</style>', 'medium.hbs:4: this brace has no counterpart'],
    [
      '<style>p { background: url(x.png) }</style>',
      'medium.hbs:3: a label loads nothing: write an image as a data: URI',
    ],
  ])('%j: %s', async ([lines, message], { folderOf }) => {
    const own = await folderOf({ 'medium.hbs': withLines(lines) });
    expect(await errorOf(own, () => loadTemplates(own))).toContain(message);
  });

  test.for<[files: Files, message: string]>([
    [
      { 'medium.html': '' },
      'medium.html: this is no name of a template; those are letter.hbs, small.hbs, medium.hbs',
    ],
    [{ 'medium.hbs/a': '' }, 'medium.hbs: this is no file'],
    [{ '.hidden': '' }, 'this folder has no template'],
    [{ 'medium.hbs': ' '.repeat(262_145) }, 'medium.hbs: this file has 262145 bytes, more than 262144'],
    [
      { 'medium.hbs': BARCODE },
      'medium.hbs:1: {{#page width="…mm" height="…mm"}} must be around everything else',
    ],
    [{ 'medium.hbs': withLines('', '{{#page width="100" height="150mm"}}') }, 'medium.hbs'],
    [
      { 'medium.hbs': '{{#page width="100mm" height="150mm"}}\n{{/page}}' },
      'medium.hbs: a label has a Code 128: there is no {{barcode}}',
    ],
  ])('%j: %s', async ([files, message], { folderOf }) => {
    const own = await folderOf(files);
    expect(await errorOf(own, () => loadTemplates(own))).toContain(message);
  });

  test('a link that leads out of the folder', async ({ folder, folderOf }) => {
    const own = await folderOf({});
    await writeFile(join(folder, 'elsewhere.hbs'), withLines(''));
    await symlink(join(folder, 'elsewhere.hbs'), join(own, 'medium.hbs'));
    expect(await errorOf(own, () => loadTemplates(own))).toBe(
      'medium.hbs: this link leads out of the folder',
    );
  });
});

describe('a template is tried at start, and refused', () => {
  test.for<[lines: string, message: string]>([
    ['{{recipient.nme}}', 'medium.hbs:3: there is no field "nme"'],
    ['\n{{fit recipient.nme width=90 size=9}}', 'medium.hbs:4: there is no field "nme"'],
    ['{{#if recipient.nme}}x{{/if}}', 'medium.hbs:3: there is no field "nme"'],
    [
      '{{#if goods.information}}\n{{goods.informaton}}{{/if}}',
      'medium.hbs:4: there is no field "informaton"',
    ],
    ['{{barcode code height=120 module=3 y=3}}', 'medium.hbs:3: a place has both coordinates, or none'],
    ['<p>\n<b>x</p>', 'medium.hbs:4: an element that begins here is not closed'],
    ['<p>\n<textarea>', 'medium.hbs:4: an element that begins here is not closed'],
    [
      '</div></section>\n<i>x</i>',
      'medium.hbs:4: stands outside of its page: an element is closed that was not opened',
    ],
    [
      '<p>\n<i style="position:absolute;left:90mm;width:20mm">x</i></p>',
      'medium.hbs:4: reaches 10.5 mm out of the page (right)',
    ],
    ['<p style="white-space:nowrap">\n{{recipient.name}}</p>', 'medium.hbs:3: reaches '],
    [
      '<p style="margin-top:-8mm">{{recipient.name}}</p>',
      'medium.hbs:3: “Luis Pérez Muñoz” stands on a code',
    ],
    [
      '<div style="display:none">{{qr tracking.url size=200}}</div>',
      'medium.hbs: 3 of 6 codes have no place on a page',
    ],
    [
      '{{barcode code middle=100 y=10 height=120 module=3}}',
      'medium.hbs: a code or rule reaches out of the page',
    ],
    [
      '{{qr tracking.url size=90}}',
      'medium.hbs:3: The QR code of 36 characters needs modules of less than 4 dots',
    ],
    ['<p style="height:140mm"></p>\n', 'medium.hbs:3: reaches '],
  ])('%j: %s', async ([lines, message], { folderOf, browser }) => {
    const own = await folderOf({ 'medium.hbs': withLines(lines) });
    const templates = loadTemplates(own);
    const underlays = await printUnderlays(browser.print, templates);
    const printer = createLabelPrinter({
      templates,
      underlays,
      printHtml: browser.print,
      concurrency: 1,
      maxLabels: 1,
    });
    const found = await errorOf(own, () =>
      checkTemplates(templates, { inspect: browser.inspect, print: printer.print }),
    );
    expect(found).toContain(message);
  });

  test('one page for three packages', async ({ folderOf }) => {
    const own = await folderOf({
      'small.hbs': '{{#page width="100mm" height="100mm"}}{{barcode code height=120 module=3}}{{/page}}',
    });
    const trial = { inspect: async () => [], print: async () => undefined };
    expect(await errorOf(own, () => checkTemplates(loadTemplates(own), trial))).toBe(
      'small.hbs: 1 pages for 3 packages: {{#eachPackage}} makes a page for each',
    );
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

test("a template's version follows its content, and that of a kind that is not there is ours", async ({
  folderOf,
}) => {
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

test('styles of one kind are those of its pages alone', async ({ folderOf }) => {
  const own = await folderOf({ 'medium.hbs': withLines('<style>text { fill: red }</style>') });
  const html = labelDocument(loadTemplates(own));
  expect(html).toContain('@scope (.medium) {text { fill: red }}');
  expect(await readFile(join(own, 'medium.hbs'), 'utf8')).toContain('<style>'); // and not in each page
  expect(loadTemplates(own).medium.styles).not.toBe('');
});
