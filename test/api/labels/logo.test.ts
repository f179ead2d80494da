import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect } from 'vitest';
import { readLogo } from '#services/api/labels/logo.ts';
import { sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { isLabelPayload } from '#shared/contracts/label-job.ts';
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
const png = (side: number) => PNG.sync.write(new PNG({ width: side, height: 1, fill: true }));

test.for([
  ['an SVG of shapes', svg('<defs><path id="a" d="M0 0h9v9z"/></defs><use href="#a"/>'), 'svg+xml'],
  ['a PNG', png(200), 'png'],
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
  ['a text', 'hello', 'is neither a PNG nor an SVG.'],
  ['HTML', '<html><svg viewBox="0 0 1 1"></svg></html>', 'is neither a PNG nor an SVG.'],
  ['a PNG that is cut', png(9).subarray(0, 12), 'is a PNG without a picture.'],
  ['a PNG of gigabytes', png(2001), 'is 2001 pixels long'],
  ['an SVG without viewBox', svg('', 'width="9"'), 'without viewBox'],
  ['a PNG of 0 × 0', Buffer.from(png(9)).fill(0, 16, 24), 'is a PNG without a picture.'],
  ['an SVG without height', svg('', 'viewBox="0 0 9 0"'), 'has no width and height above 0'],
  ['an SVG with half a viewBox', svg('', 'viewBox="0 0 9"'), 'has no width and height above 0'],
  ['an SVG with a script', svg('<script>1</script>'), 'an active element'],
  ['an SVG with a named script', svg('<x:script>1</x:script>'), 'an active element'],
  ['an SVG with an event', svg('<path onload="x()"/>'), 'a script'],
  ['an SVG with HTML', svg('<foreignObject/>'), 'an active element'],
  ['an SVG with a link', svg('<a href="#a"/>'), 'an active element'],
  ['an SVG with a picture', svg('<image xlink:href="http://x/y"/>'), 'something outside'],
  ['an SVG with a style sheet', svg('<style>@import "x"</style>'), 'something outside'],
  ['an SVG with a background', svg('<path fill="url(http://x)"/>'), 'something outside'],
  ['an SVG with an entity', '<svg viewBox="0 0 1 1"><!ENTITY a "b"></svg>', 'a document type'],
] as const)('%s is refused', ([_, content, reason], { logo }) => {
  expect(() => logo(content)).toThrow(reason);
  expect(() => logo(content)).toThrow(/CARRIER_LOGO: /);
});

test('a file that is not there is refused', ({ folder }) => {
  expect(() => readLogo(join(folder, 'none'))).toThrow(/CARRIER_LOGO: .*none cannot be read/);
});
