import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Dots per inch of a thermal head with 8 dots a millimetre, which the trade calls 203 dpi. */
export const HEAD_DPI = 203.2;

/** A grey picture: a byte a pixel, 0 black to 255 white, row by row. */
export type Picture = { width: number; height: number; pixels: Uint8Array };

/** Left, top, width and height, in pixels. */
export type Area = readonly [number, number, number, number];

/** The pages of a PDF as pictures, or an area of each. */
export function pagesOf(pdf: Uint8Array, dpi: number, area?: Area): Promise<Picture[]> {
  return inFolder(async (folder) => {
    await writeFile(join(folder, 'in.pdf'), pdf);
    const only = area ? ['-x', '-y', '-W', '-H'].flatMap((flag, i) => [flag, String(area[i])]) : [];
    await run('pdftoppm', [
      '-r',
      String(dpi),
      '-gray',
      ...only,
      join(folder, 'in.pdf'),
      join(folder, 'page'),
    ]);
    const names = (await readdir(folder)).filter((name) => name.endsWith('.pgm')).sort();
    return Promise.all(names.map(async (name) => fromPgm(await readFile(join(folder, name)))));
  });
}

/** What an independent decoder reads from each picture, such as `CODE-128:123`, sorted. */
export function codesOf(pictures: readonly Picture[]): Promise<string[][]> {
  return inFolder(async (folder) => {
    const files = pictures.map((_, i) => join(folder, `${i}.pgm`));
    await Promise.all(pictures.map((picture, i) => writeFile(files[i] ?? '', toPgm(picture))));
    // zbarimg fails when one of the pictures has no code at all; what it read from the others it prints.
    const { stdout } = await run('zbarimg', ['-q', '--xml', ...files], { maxBuffer: 1 << 26 }).catch(
      (error: { code?: number; stdout?: string }) => {
        if (error.code === 4) return { stdout: error.stdout ?? '' };
        throw error;
      },
    );
    const found = new Map<string, string[]>();
    for (const [, file = '', symbols = ''] of stdout.matchAll(
      /<source href='([^']*)'>([\s\S]*?)<\/source>/g,
    )) {
      const codes = symbols.matchAll(
        /<symbol type='([^']*)'[\s\S]*?<data[^>]*><!\[CDATA\[([\s\S]*?)\]\]><\/data>/g,
      );
      found.set(file, [...codes].map(([, type, data]) => `${type}:${data}`).sort());
    }
    return files.map((file) => found.get(file) ?? []);
  });
}

/** A quarter turn to the right. */
export function turned({ width, height, pixels }: Picture): Picture {
  return draw(height, width, (x, y) => pixels[(height - 1 - x) * width + y] ?? 255);
}

/** Smaller or larger by `factor`; each new pixel is the mean of the four nearest old ones, by their distance. */
export function scaled({ width, height, pixels }: Picture, factor: number): Picture {
  const at = (x: number, y: number) =>
    pixels[Math.min(y, height - 1) * width + Math.min(x, width - 1)] ?? 255;
  return draw(Math.round(width * factor), Math.round(height * factor), (x, y) => {
    const [left, top] = [x / factor, y / factor];
    const [x0, y0] = [Math.floor(left), Math.floor(top)];
    const [dx, dy] = [left - x0, top - y0];
    const upper = at(x0, y0) * (1 - dx) + at(x0 + 1, y0) * dx;
    const lower = at(x0, y0 + 1) * (1 - dx) + at(x0 + 1, y0 + 1) * dx;
    return upper * (1 - dy) + lower * dy;
  });
}

/** Salt and pepper: `share` of the pixels become black or white, as dust and worn heads make them. */
export function noisy({ pixels, ...size }: Picture, share: number, random: () => number): Picture {
  const spoilt = pixels.slice();
  for (let left = Math.round(spoilt.length * share); left > 0; left--) {
    spoilt[Math.floor(random() * spoilt.length)] = random() < 0.5 ? 0 : 255;
  }
  return { ...size, pixels: spoilt };
}

function draw(width: number, height: number, pixel: (x: number, y: number) => number): Picture {
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels[y * width + x] = pixel(x, y);
  return { width, height, pixels };
}

/** Of netpbm's formats the binary grey one: `P5 width height 255`, then the pixels. */
function fromPgm(file: Buffer): Picture {
  const header = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(file.toString('latin1', 0, 64));
  if (!header) throw new Error('Not a PGM picture');
  return { width: Number(header[1]), height: Number(header[2]), pixels: file.subarray(header[0].length) };
}

function toPgm({ width, height, pixels }: Picture): Buffer {
  return Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), pixels]);
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
