import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect } from 'vitest';
import { readLogo } from '#services/api/labels/logo.ts';
import { sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { isLabelPayload } from '#shared/labels/label-payload.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';

const test = folderTest.extend(
  'logo',
  { scope: 'file' },
  ({ folder }) =>
    (content: string | Buffer): string => {
      const path = join(folder, 'logo');
      writeFileSync(path, content);
      return readLogo(path);
    },
);
const svg = (shapes: string, attributes = 'viewBox="0 0 9 9"') =>
  `<?xml version="1.0"?><!-- drawn --><svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${shapes}</svg>`;
const png = (width: number, height = width) => PNG.sync.write(new PNG({ width, height, fill: true }));
const WHOLE = png(40, 20);

test.for([
  ['an SVG of shapes', svg('<defs><path id="a" d="M0 0h9v9z"/></defs><use href="#a"/>'), 'svg+xml'],
  [
    'an SVG as programs write it',
    `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- a > b -->\n${svg(
      '<metadata><rdf:RDF/></metadata><style>.a>.b{fill:#000}</style><g\n id="a"\n><use xlink:href = \'#a\' /></g>',
      'viewBox="0 0 9 9" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:rdf="r"',
    ).slice('<?xml version="1.0"?>'.length)}\n`,
    'svg+xml',
  ],
  ['a PNG', png(200, 60), 'png'],
] as const)('%s becomes a data URI that fits a payload', ([_, content, type], { logo }) => {
  const uri = logo(content);
  expect(uri).toBe(`data:image/${type};base64,${Buffer.from(content).toString('base64')}`);
  expect(isLabelPayload(sample({ logo: uri }))).toBe(true);
});

test('the largest logo fits a payload', ({ logo }) => {
  const content = svg('').padEnd(12 * 1024);
  expect(isLabelPayload(sample({ logo: logo(content) }))).toBe(true);
  expect(() => logo(`${content} `)).toThrow('has 12289 bytes; up to 12288 are allowed.');
});

test.for([
  ['HTML', '<html><svg viewBox="0 0 1 1"></svg></html>', 'is neither a PNG nor an SVG.'],
  ['a PNG of gigabytes', png(2001, 1), 'is 2001 pixels long'],
  ['an SVG without viewBox', svg('', 'width="9"'), 'without viewBox'],
  ['an SVG with a script', svg('<script>1</script>'), 'an active element'],
  ['an SVG with a picture', svg('<image xlink:href="http://x/y"/>'), 'something outside'],
  ['an SVG with text', svg('<text y="9">ENVIOS</text>'), 'text, which would need a font of the machine'],
  ['an SVG without xmlns', '<svg viewBox="0 0 9 9"><path d="M0 0h9"/></svg>', 'it has <svg> without xmlns='],
  ['an SVG with a bare &', svg('<title>A & B</title>'), 'it has an & that is not written as &amp;'],
  ['an SVG in Latin-1', Buffer.from(svg('<title>ñ</title>'), 'latin1'), 'another encoding than UTF-8'],
  ['a PNG cut in its picture', WHOLE.subarray(0, -30), 'is a damaged PNG'],
  ['an SVG that is a line', svg('', 'viewBox="0 0 1 2000"'), 'has a side 2000 times as long'],
  ['an SVG with an entity', '<svg viewBox="0 0 1 1"><!ENTITY a "b"></svg>', 'a document type'],
] as const)('%s is refused', ([_, content, reason], { logo }) => {
  expect(() => logo(content)).toThrow(reason);
  expect(() => logo(content)).toThrow(/CARRIER_LOGO: /);
});

test('a file that is not there is refused', ({ folder }) => {
  expect(() => readLogo(join(folder, 'none'))).toThrow(/CARRIER_LOGO: .*none cannot be read/);
});
