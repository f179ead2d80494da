import { describe, expect, test } from 'vitest';
import { readHead } from '#services/api/evidence/picture-head.ts';
import { declaring, exif, jpeg, png, pngWithExif, WEBP, webpWithExif, withExif } from './pictures.ts';

/** What a picture declares, before anything decodes it. */

const codeOf = (bytes: Buffer) => {
  try {
    readHead(bytes);
    return 'read';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

const upright = await jpeg(60, 40);

describe('a picture', () => {
  test.for([
    ['PNG', png(60, 40), { type: 'png', width: 60, height: 40, orientation: 1 }],
    ['JPEG', upright, { type: 'jpeg', width: 60, height: 40, orientation: 1 }],
    ['turned JPEG', withExif(upright, 6), { type: 'jpeg', width: 60, height: 40, orientation: 6 }],
    ['turned PNG', pngWithExif(png(60, 40), exif(8)), { type: 'png', width: 60, height: 40, orientation: 8 }],
    ['WebP', WEBP, { type: 'webp', width: 8, height: 8, orientation: 1 }],
    ['turned WebP', webpWithExif(WEBP, exif(3)), { type: 'webp', width: 8, height: 8, orientation: 3 }],
  ] as const)('%s', ([_, bytes, head]) => {
    expect(readHead(bytes)).toEqual({ ...head, end: bytes.length });
  });

  test('ends where its format says, whatever follows', async () => {
    const script = Buffer.from('<script>alert(1)</script>');
    for (const picture of [png(), await jpeg(), WEBP]) {
      expect(readHead(Buffer.concat([picture, script])).end).toBe(picture.length);
    }
  });

  test('has the orientation of EXIF in any order of bytes, also with the name that belongs to JPEGs', () => {
    const big = Buffer.from(exif(6));
    big.write('MM\0*', 'latin1');
    big.writeUInt32BE(8, 4);
    for (const [at, value] of [
      [8, 1],
      [10, 0x0112],
      [12, 3],
      [18, 6],
    ] as const)
      big.writeUInt16BE(value, at);
    const named = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), big]);
    const turned = [withExif(upright, big), pngWithExif(png(), named), webpWithExif(WEBP, named)];
    expect(turned.map((picture) => readHead(picture).orientation)).toEqual([6, 6, 6]);
  });

  test.for<[string, Buffer]>([
    ['is empty', Buffer.alloc(0)],
    ['is cut', exif(6).subarray(0, 19)],
    ['has an orientation that is none', exif(9)],
    ['is noise', Buffer.alloc(300, 0xff)],
    ['is XMP', Buffer.from(exif(6)).fill('ht', 0, 2)],
    ['begins far behind its end', Buffer.concat([Buffer.from('II*\0'), Buffer.alloc(4, 0xff), exif(6)])],
    [
      'says that it has more entries than it has',
      Buffer.concat([exif(6).subarray(0, 8), Buffer.alloc(2, 0xff)]),
    ],
  ])('is as it stands if its EXIF %s', ([_, tiff]) => {
    const pictures = [withExif(upright, tiff), pngWithExif(png(), tiff), webpWithExif(WEBP, tiff)];
    expect(pictures.map((picture) => readHead(picture).orientation)).toEqual([1, 1, 1]);
  });

  test('of WebP is as it stands if a chunk is longer than the file', () => {
    const broken = webpWithExif(WEBP, exif(6));
    broken.writeUInt32LE(2 ** 32 - 1, 34); // of the chunk after the header
    expect(readHead(broken)).toMatchObject({ orientation: 1, end: broken.length });
  });

  test('is refused if it lacks its end, wherever it was cut', async () => {
    for (const picture of [png(), await jpeg(), withExif(await jpeg(), 1), WEBP]) {
      for (const share of [0.3, 0.5, 0.9, 0.99]) {
        const cut = picture.subarray(0, Math.max(12, Math.floor(picture.length * share)));
        expect([share, codeOf(cut)]).toEqual([share, 'picture-cut']);
      }
    }
  });

  test('is refused if it is of another type', () => {
    const others = [
      '',
      'GIF89a',
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      '%PDF-1.7',
      'II*\0',
      'RIFF    WAVE',
    ];
    expect(others.map((text) => codeOf(Buffer.from(text)))).toEqual(others.map(() => 'picture-type'));
  });

  test.for([
    [4_000, 4_000, 'read'],
    [4_001, 4_000, 'picture-too-wide'],
    [10_000, 10_000, 'picture-too-wide'],
    [2 ** 32 - 1, 2 ** 32 - 1, 'picture-too-wide'],
    [16_384, 1, 'picture-too-wide'],
    [0, 40, 'picture-unreadable'],
  ] as const)('of %i × %i pixels is %s', ([width, height, code]) => {
    expect(codeOf(declaring(width, height))).toBe(code);
  });

  test('is refused if a JPEG has a second frame, or more scans than encoders make', async () => {
    const picture = await jpeg();
    const frame = picture.indexOf(Buffer.from([0xff, 0xc0]));
    const scan = picture.indexOf(Buffer.from([0xff, 0xda]));
    const part = (from: number) => picture.subarray(from, from + 2 + picture.readUInt16BE(from + 2));
    const twice = (from: number, times: number) =>
      Buffer.concat([picture.subarray(0, from), ...Array(times).fill(part(from)), picture.subarray(from)]);
    expect(codeOf(twice(frame, 1))).toBe('picture-unreadable');
    expect(codeOf(twice(scan, 59))).toBe('read');
    expect(codeOf(twice(scan, 60))).toBe('picture-unreadable');
  });
});
