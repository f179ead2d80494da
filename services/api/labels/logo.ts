import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { crc32, inflateSync } from 'node:zlib';
import { ConfigError } from '#shared/config/load-config.ts';
import { MAX_LOGO_KIB } from '#shared/labels/label-payload.ts';
import { logoSize } from '#shared/labels/logo-size.ts';
import { svgProblem } from './svg-syntax.ts';

const MAX_BYTES = MAX_LOGO_KIB * 1024;
/**
 * Most times that one side may be as long as the other: in the small label a longer logo is less than a millimetre
 * high.
 */
const MAX_RATIO = 20;
/** In pixels: a few bytes of PNG can be a picture of gigabytes. */
const MAX_SIDE = 2_000;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * Refused parts, with their names in the message. Chromium draws SVG images without scripts and network anyway;
 * refusing them at start shows the operator why.
 */
const SVG_REFUSED: readonly [RegExp, string][] = [
  [/<!(?!--)|<\?(?!xml\s)/i, 'a document type, an entity or an instruction'],
  [
    /<([\w-]+:)?(script|foreignObject|iframe|object|embed|audio|video|a|animate\w*|set)\b/i,
    'an active element',
  ],
  [/\son\w+\s*=/i, 'a script'],
  [/<([\w-]+:)?text\b/i, 'text, which would need a font of the machine'],
  [/\b(href|src)\s*=\s*["'](?!#)/i, 'a reference to something outside'],
  [/url\(\s*(?!["']?#)|@import|\\/i, 'a reference to something outside'],
];

/**
 * Reads the carrier's logo as a `data:` URI. The content decides over the type, not the file's name.
 * @throws ConfigError when the file cannot be read or is too large. It must be a PNG, or an SVG of shapes that a browser
 * can draw.
 */
export function readLogo(path: string): string {
  const refuse = (why: string, cause?: unknown) =>
    new ConfigError(`Wrong configuration:\n  CARRIER_LOGO: ${path} ${why}`, { cause });
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw refuse('cannot be read.', cause);
  }
  if (bytes.length > MAX_BYTES) throw refuse(`has ${bytes.length} bytes; up to ${MAX_BYTES} are allowed.`);
  const isPng = bytes.subarray(0, PNG.length).equals(PNG);
  const reason = (isPng ? wrongPng(bytes) : wrongSvg(bytes)) ?? wrongShape(bytes, isPng);
  if (reason) throw refuse(reason);
  return `data:image/${isPng ? 'png' : 'svg+xml'};base64,${bytes.toString('base64')}`;
}

function wrongPng(bytes: Buffer): string | undefined {
  const size = logoSize(bytes, true);
  if (!size) return 'is a PNG without a picture.';
  const side = Math.max(size.width, size.height);
  if (side > MAX_SIDE) return `is ${side} pixels long; up to ${MAX_SIDE} are allowed.`;
  return isWholePng(bytes) ? undefined : 'is a damaged PNG; export it again.';
}

/** Checks each chunk's checksum and the picture's data (PNG specification, 5.3 and 10). */
function isWholePng(bytes: Buffer): boolean {
  const data: Buffer[] = [];
  for (let at = PNG.length; at + 12 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end))
      return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') data.push(bytes.subarray(at + 8, end));
    if (type === 'IEND') return isInflatable(Buffer.concat(data));
    at = end + 4;
  }
  return false;
}

function isInflatable(data: Buffer): boolean {
  try {
    // A pixel has 8 bytes at most, a row one more.
    return inflateSync(data, { maxOutputLength: MAX_SIDE * (8 * MAX_SIDE + 1) }).length > 0;
  } catch {
    return false;
  }
}

function wrongShape(bytes: Buffer, isPng: boolean): string | undefined {
  const { width = 1, height = 1 } = logoSize(bytes, isPng) ?? {};
  const ratio = Math.max(width / height, height / width);
  return ratio > MAX_RATIO
    ? `has a side ${Math.round(ratio)} times as long as the other; up to ${MAX_RATIO} times is allowed.`
    : undefined;
}

function wrongSvg(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  if (!/^\uFEFF?\s*(<\?xml\s[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<svg\s/.test(text))
    return 'is neither a PNG nor an SVG.';
  if (!/\sviewBox\s*=/.test(text)) return 'is an SVG without viewBox, so it cannot be scaled.';
  if (!logoSize(bytes, false)) return 'is an SVG whose viewBox has no width and height above 0.';
  if (!isUtf8(bytes) || /^\uFEFF?\s*<\?xml[^>]*\sencoding\s*=\s*["'](?!utf-8)/i.test(text))
    return 'is an SVG in another encoding than UTF-8.';
  const refused = SVG_REFUSED.find(([pattern]) => pattern.test(text));
  if (refused) return `is an SVG with ${refused[1]}; a logo has shapes only.`;
  const problem = svgProblem(text);
  return problem && `is an SVG that no browser draws: it has ${problem}.`;
}
