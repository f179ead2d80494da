import { expect, it } from 'vitest';
import { code128 } from '#services/label-worker/label/code-128.ts';
import { barcode } from '#services/label-worker/label/codes.ts';
import { codesOf, type Picture } from '#test/fixtures/labels/pictures.ts';

/** Texts of every code set and every change between them, as an independent decoder reads them. */
const TEXTS = [
  ...['482913650724', '482913650724-01', 'M26071400012', '12345', '42', '7', 'A1', 'AB123456', 'AB1234567'],
  ...[
    '12AB',
    '1234AB',
    'A1234B',
    'A123456B',
    'A1234567B',
    '00001111-',
    ' !"#$%&/()=~',
    'Pedido 2026/07-000184',
  ],
];

it('reads back as it was', async () => {
  expect(await codesOf(TEXTS.map(pictureOf))).toEqual(TEXTS.map((text) => [`CODE-128:${text}`]));
});

it('has 101 modules for the number of a guide, and 145 for that of a package', () => {
  const modules = (text: string) => code128(text).reduce((sum, width) => sum + width);
  expect([modules('482913650724'), modules('482913650724-01')]).toEqual([101, 145]);
});

it('refuses a letter that no Code 128 has', () => {
  expect(() => code128('Ж1')).toThrow('Code 128 has no "Ж"');
});

function pictureOf(text: string): Picture {
  const [width, height] = [1_400, 120];
  const pixels = new Uint8Array(width * height).fill(255);
  for (const [x, y, across, down] of barcode(text, { middle: 700, y: 10, height: 100, module: 3 }))
    for (let row = y; row < y + down; row++) pixels.fill(0, row * width + x, row * width + x + across);
  return { width, height, pixels };
}
