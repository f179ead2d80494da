import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { PictureDecoder } from '#services/api/evidence/picture-decoder.ts';
import { readHead } from '#services/api/evidence/picture-head.ts';
import {
  declaring,
  exif,
  jpeg,
  pixelOf,
  png,
  pngChunk,
  pngWithExif,
  WEBP,
  webp,
  webpWithExif,
  withExif,
} from './pictures.ts';

/** Pictures as they are kept: decoded in a thread, and made anew of their pixels. */

const photo = await jpeg(60, 40);
/** Red on the left, blue on the right: turned by a quarter, red is at the top. */
const half = (x: number) => (x < 30 ? ([255, 0, 0] as const) : ([0, 0, 255] as const));
const TURNED = [
  ['JPEG', withExif(await jpeg(60, 40, half), 6)],
  ['PNG', pngWithExif(png(60, 40, half), exif(6))],
  ['WebP', webpWithExif(await webp(60, 40, half), exif(6))],
] as const;
const decoder = new PictureDecoder();
afterAll(() => decoder.close());

const codeOf = (bytes: Buffer) =>
  decoder.decode(bytes).then(
    () => 'decoded',
    (error: { code: string }) => error.code,
  );

describe('a picture', () => {
  test.for([
    ['PNG', png(60, 40)],
    ['JPEG', photo],
    ['WebP', WEBP],
  ] as const)('of type %s becomes a JPEG', async ([_, bytes]) => {
    const { jpeg: kept, print, width, height } = await decoder.decode(bytes);
    expect(readHead(Buffer.from(kept))).toMatchObject({ type: 'jpeg', width, height });
    expect(readHead(Buffer.from(print))).toMatchObject({ type: 'jpeg', width, height });
  });

  test('has no side longer than 1600 pixels, and its copy none longer than 720', async () => {
    const decoded = await decoder.decode(await jpeg(2_400, 1_200));
    expect(decoded).toMatchObject({ width: 1_600, height: 800 });
    expect(readHead(Buffer.from(decoded.print))).toMatchObject({ width: 720, height: 360 });
  });

  test.for(TURNED)('of type %s is put upright, and loses what else its file says', async ([_, sent]) => {
    expect(sent.includes('GPS')).toBe(true);
    const { jpeg: kept, width, height } = await decoder.decode(sent);
    expect({ width, height }).toEqual({ width: 40, height: 60 });
    const [[top = 0], [bottom = 0]] = [await pixelOf(kept, 20, 10), await pixelOf(kept, 20, 50)];
    expect([top > 200, bottom < 50]).toEqual([true, true]);
    expect(Buffer.from(kept).includes('Exif')).toBe(false);
    expect(Buffer.from(kept).includes('GPS')).toBe(false);
  });

  test('loses what hides behind its end, and in its texts', async () => {
    const script = '<script>alert(1)</script>';
    for (const picture of [png(), await jpeg(), WEBP]) {
      const { jpeg: kept } = await decoder.decode(Buffer.concat([picture, Buffer.from(script)]));
      expect(Buffer.from(kept).includes('script')).toBe(false);
    }
    const { jpeg: kept } = await decoder.decode(withExif(await jpeg(), 1, script));
    expect(Buffer.from(kept).includes('script')).toBe(false);
  });

  test('of noise fits in the largest size that is kept', async () => {
    let seed = 1;
    const noise = () => {
      seed = (seed * 48_271) % 0x7fffffff;
      return seed % 256;
    };
    const { jpeg: kept, print } = await decoder.decode(png(1_200, 1_200, () => [noise(), noise(), noise()]));
    expect(kept.length).toBeLessThanOrEqual(1024 * 1024);
    expect(print.length).toBeLessThanOrEqual(96 * 1024);
  });
});

describe('a hostile picture is refused, and the next one is decoded', () => {
  /** The end of a PNG that a decoder would inflate to gigabytes. */
  const bomb = () => {
    const file = declaring(4_000, 4_000);
    const data = deflateSync(Buffer.alloc(4_000 * 4));
    return Buffer.concat([file.subarray(0, 33), pngChunk('IDAT', data), file.subarray(-12)]);
  };

  test.for<[string, Buffer, string]>([
    ['that declares more pixels than it has', bomb(), 'picture-unreadable'],
    ['that declares 100 MP', declaring(10_000, 10_000), 'picture-too-wide'],
    ['whose inside is broken', brokenInside(photo), 'picture-unreadable'],
    ['whose header is cut', png().subarray(0, 20), 'picture-cut'],
    ['that is a script', Buffer.from('<script>alert(1)</script>'.padEnd(100)), 'picture-type'],
  ])('%s', async ([_, bytes, code]) => {
    expect(await codeOf(bytes)).toBe(code);
    expect(await codeOf(png())).toBe('decoded');
  });

  test('that takes too long', async () => {
    const hasty = new PictureDecoder(1);
    const slow = hasty.decode(await jpeg(2_400, 1_600));
    await expect(slow).rejects.toMatchObject({ code: 'overloaded' });
    await hasty.close();
  });
});

test('more pictures than may wait are refused at once', async () => {
  const picture = png();
  const all = await Promise.all(Array.from({ length: 30 }, () => codeOf(picture)));
  expect(all.filter((code) => code === 'decoded').length).toBe(21); // one is decoded while twenty wait
  expect(new Set(all)).toEqual(new Set(['decoded', 'overloaded']));
});

/** Puts a table of quantization of another form in the place of the first one. */
function brokenInside(picture: Buffer): Buffer {
  const broken = Buffer.from(picture);
  const table = broken.indexOf(Buffer.from([0xff, 0xdb]));
  broken.fill(0xee, table + 4, table + 20);
  return broken;
}
