import type { PictureHead } from './picture-head.ts';

/** Pixels of four bytes each: red, green, blue, and how opaque they are. */
export type Pixels = { data: Uint8ClampedArray; width: number; height: number };

/**
 * Returns a picture upright, on white, and with no side longer than `longest`. Each pixel is the mean of those that it
 * stands for.
 */
export function shrink(picture: Pixels, orientation: PictureHead['orientation'], longest: number): Pixels {
  const { width, height } = picture;
  const scale = Math.min(1, longest / Math.max(width, height));
  const to = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  return upright(means(picture, to), orientation);
}

function means(from: Pixels, to: Omit<Pixels, 'data'>): Pixels {
  const data = new Uint8ClampedArray(to.width * to.height * 4).fill(255);
  const sums = new Float32Array(to.width * 3);
  const [across, down] = [from.width / to.width, from.height / to.height];
  for (let row = 0; row < to.height; row++) {
    const [start, end] = [row * down, Math.min(from.height, (row + 1) * down)];
    sums.fill(0);
    for (let y = Math.floor(start); y < end; y++) {
      addRow(from, y, Math.min(y + 1, end) - Math.max(y, start), across, sums);
    }
    for (let x = 0, at = row * to.width * 4; x < to.width; x++, at += 4) {
      for (let color = 0; color < 3; color++) data[at + color] = (sums[x * 3 + color] ?? 0) / (across * down);
    }
  }
  return { data, ...to };
}

/** Adds a row of pixels, each with its share of the columns that it belongs to, to the sums of three colours a column. */
function addRow({ data, width }: Pixels, y: number, share: number, across: number, sums: Float32Array): void {
  const columns = sums.length / 3;
  for (let column = 0; column < columns; column++) {
    const [start, end] = [column * across, Math.min(width, (column + 1) * across)];
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let x = Math.floor(start); x < end; x++) {
      const at = (y * width + x) * 4;
      const part = Math.min(x + 1, end) - Math.max(x, start);
      const opaque = (part * (data[at + 3] as number)) / 255;
      const white = 255 * (part - opaque);
      red += (data[at] as number) * opaque + white;
      green += (data[at + 1] as number) * opaque + white;
      blue += (data[at + 2] as number) * opaque + white;
    }
    sums[column * 3] = (sums[column * 3] as number) + red * share;
    sums[column * 3 + 1] = (sums[column * 3 + 1] as number) + green * share;
    sums[column * 3 + 2] = (sums[column * 3 + 2] as number) + blue * share;
  }
}

/** From 5 on the sides are swapped (EXIF 2.32, table 6). Where a pixel of the upright picture stands in the stored one. */
const STORED_AT: Readonly<
  Record<PictureHead['orientation'], (x: number, y: number, w: number, h: number) => [number, number]>
> = {
  1: (x, y) => [x, y],
  2: (x, y, w) => [w - 1 - x, y],
  3: (x, y, w, h) => [w - 1 - x, h - 1 - y],
  4: (x, y, _w, h) => [x, h - 1 - y],
  5: (x, y) => [y, x],
  6: (x, y, _w, h) => [y, h - 1 - x],
  7: (x, y, w, h) => [w - 1 - y, h - 1 - x],
  8: (x, y, w) => [w - 1 - y, x],
};

function upright(picture: Pixels, orientation: PictureHead['orientation']): Pixels {
  if (orientation === 1) return picture;
  const { width, height } = picture;
  const isSwapped = orientation >= 5;
  const turned = { width: isSwapped ? height : width, height: isSwapped ? width : height };
  const from = new Uint32Array(picture.data.buffer, picture.data.byteOffset, width * height);
  const to = new Uint32Array(width * height);
  for (let y = 0; y < turned.height; y++) {
    for (let x = 0; x < turned.width; x++) {
      const [storedX, storedY] = STORED_AT[orientation](x, y, width, height);
      to[y * turned.width + x] = from[storedY * width + storedX] as number;
    }
  }
  return { data: new Uint8ClampedArray(to.buffer), ...turned };
}
