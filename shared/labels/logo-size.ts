/**
 * Returns the size of a logo in its own units: of a PNG from its first chunk (PNG specification, 11.2.1), of an SVG
 * from its `viewBox` (SVG 2, 8.6).
 * @returns undefined if a side is missing, or not above zero.
 */
export function logoSize(logo: Buffer, isPng: boolean): { width: number; height: number } | undefined {
  const [width = 0, height = 0] = isPng ? sidesOfPng(logo) : sidesOfSvg(logo.toString('utf8'));
  return width > 0 && height > 0 && Number.isFinite(width / height) ? { width, height } : undefined;
}

function sidesOfPng(logo: Buffer): number[] {
  return logo.length < 24 ? [] : [logo.readUInt32BE(16), logo.readUInt32BE(20)];
}

function sidesOfSvg(logo: string): number[] {
  const [, viewBox = ''] = /\sviewBox\s*=\s*["']([^"']*)["']/.exec(logo) ?? [];
  const numbers = viewBox.trim().split(/[\s,]+/);
  return numbers.length === 4 ? numbers.slice(2).map(Number) : [];
}
