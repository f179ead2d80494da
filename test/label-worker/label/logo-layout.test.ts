import { expect, test } from 'vitest';
import { logoLayout } from '#services/label-worker/label/logo-layout.ts';

const ROOM = { x: 96, y: 104, width: 360, height: 104 };
const svg = (viewBox: string) =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${viewBox}/>`).toString('base64')}`;
const png = (width: number, height: number) => {
  const header = Buffer.alloc(24);
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return `data:image/png;base64,${header.toString('base64')}`;
};

test.for([
  ['viewBox="0 0 300 60"', 360, 72],
  ['viewBox="0,0,300,60"', 360, 72],
  ['viewBox = " 0, 0  300 ,\t60 "', 360, 72],
  ["viewBox='0 0 3e2 60.0'", 360, 72],
  ['viewBox="0 0 60 60"', 104, 104],
] as const)('a logo with %s is %i × %i dots', ([viewBox, width, height]) => {
  expect(logoLayout(svg(viewBox), ROOM)).toEqual({ x: 96, y: 104 + (104 - height) / 2, width, height });
});

test.for([svg('viewBox="0 0 0 0"'), svg('viewBox="0 0 9"'), png(0, 0), png(9, 0)])(
  'a logo without a size is not drawn: %s',
  (logo) => {
    expect(() => logoLayout(logo, ROOM)).toThrow('The logo has no size');
  },
);

test('a PNG is as wide as its pixels say', () => {
  expect(logoLayout(png(300, 60), ROOM)).toMatchObject({ width: 360, height: 72 });
});
