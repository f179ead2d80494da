import { readFileSync } from 'node:fs';
import { ConfigError } from '#shared/config/load-config.ts';
import { MAX_LOGO_KIB } from '#shared/contracts/label-job.ts';
import { logoSize } from '#shared/contracts/logo-size.ts';

const MAX_BYTES = MAX_LOGO_KIB * 1024;
/** Longest side of a PNG, in pixels: a few bytes of PNG can be a picture of gigabytes. */
const MAX_SIDE = 2_000;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * What a logo must not have, and its name in the message. Chromium draws SVG images without scripts and without the
 * network anyway; refusing them at start shows the operator why.
 */
const SVG_REFUSED: readonly [RegExp, string][] = [
  [/<!(?!--)|<\?(?!xml\s)/i, 'a document type, an entity or an instruction'],
  [
    /<([\w-]+:)?(script|foreignObject|iframe|object|embed|audio|video|a|animate\w*|set)\b/i,
    'an active element',
  ],
  [/\son\w+\s*=/i, 'a script'],
  [/\b(href|src)\s*=\s*["'](?!#)/i, 'a reference to something outside'],
  [/url\(\s*(?!["']?#)|@import|\\/i, 'a reference to something outside'],
];

/**
 * Reads the carrier's logo as a `data:` URI. The content decides over the type, not the file's name.
 *
 * @throws ConfigError when the file cannot be read, is too large, or is neither a PNG nor an SVG of shapes only.
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
  const reason = isPng ? wrongPng(bytes) : wrongSvg(bytes);
  if (reason) throw refuse(reason);
  return `data:image/${isPng ? 'png' : 'svg+xml'};base64,${bytes.toString('base64')}`;
}

function wrongPng(bytes: Buffer): string | undefined {
  const size = logoSize(bytes, true);
  if (!size) return 'is a PNG without a picture.';
  const side = Math.max(size.width, size.height);
  return side > MAX_SIDE ? `is ${side} pixels long; up to ${MAX_SIDE} are allowed.` : undefined;
}

function wrongSvg(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  if (!/^\uFEFF?\s*(<\?xml\s[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<svg\s/.test(text))
    return 'is neither a PNG nor an SVG.';
  if (!/\sviewBox\s*=/.test(text)) return 'is an SVG without viewBox, so it cannot be scaled.';
  if (!logoSize(bytes, false)) return 'is an SVG whose viewBox has no width and height above 0.';
  const refused = SVG_REFUSED.find(([pattern]) => pattern.test(text));
  return refused && `is an SVG with ${refused[1]}; a logo has shapes only.`;
}
