import { DomainError } from '#shared/errors/domain-error.ts';

/**
 * Reads what a picture says of itself, before anything decodes it: a few hundred bytes can declare a picture that takes
 * gigabytes.
 */

/** EXIF's number for how a picture is turned; 1 is upright. */
type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
export type PictureType = 'png' | 'jpeg' | 'webp';
/** `end`: where the picture ends within the bytes. What follows is not read. */
export type PictureHead = {
  type: PictureType;
  width: number;
  height: number;
  orientation: Orientation;
  end: number;
};

/** Decoded, a picture of this size takes 64 MB. Phones have pictures of 12 MP, or make them smaller. */
export const MAX_PIXELS = 16_000_000;
/** No camera makes a picture as long, and some decoders count sides in 14 bits. */
const MAX_SIDE = 16_383;
/** Each scan of a progressive JPEG costs as much as all pixels. Encoders make ten. */
const MAX_SCANS = 60;

/**
 * Returns the type, size and end of a picture.
 *
 * @throws DomainError `picture-type` for anything but PNG, JPEG and WebP; `picture-cut` for one that lacks its end;
 * `picture-too-wide`; `picture-unreadable`.
 */
export function readHead(bytes: Buffer): PictureHead {
  const head = readType(bytes);
  const { width, height } = head;
  if (width < 1 || height < 1) throw new DomainError('picture-unreadable');
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) {
    throw new DomainError('picture-too-wide', { params: { given: `${width} x ${height}` } });
  }
  return head;
}

function readType(bytes: Buffer): PictureHead {
  if (bytes.subarray(0, 8).equals(PNG)) return readPng(bytes);
  if (bytes.subarray(0, 3).equals(JPEG)) return readJpeg(bytes);
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') {
    return readWebp(bytes);
  }
  throw new DomainError('picture-type');
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/** PNG specification, 5.3: each chunk has its length, its name, its data and a checksum. */
function readPng(bytes: Buffer): PictureHead {
  requireBytes(bytes, 33);
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') throw new DomainError('picture-unreadable');
  let orientation: Orientation = 1;
  for (let at = PNG.length; ; ) {
    requireBytes(bytes, at + 12);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const next = at + 12 + bytes.readUInt32BE(at);
    requireBytes(bytes, next);
    if (name === 'IEND') {
      const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
      return { type: 'png', width, height, orientation, end: next };
    }
    if (name === 'eXIf') orientation = orientationOf(bytes.subarray(at + 8, next - 4)) ?? orientation;
    at = next;
  }
}

const JPEG = Buffer.from('ffd8ff', 'hex');
const [START_OF_SCAN, END_OF_IMAGE, APP1] = [0xda, 0xd9, 0xe1];
/** Markers of frames (ITU-T T.81, table B.1): all from C0 to CF but those of Huffman tables and arithmetic coding. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** Markers without a length: restarts, and what stands in entropy-coded data. */
const isBare = (marker: number) => marker === 0 || marker === 1 || (marker >= 0xd0 && marker <= 0xd8);

/** Walks over the markers up to the end of the image, also over those of entropy-coded data. */
function readJpeg(bytes: Buffer): PictureHead {
  let size: { width: number; height: number } | undefined;
  let orientation: Orientation = 1;
  let scans = 0;
  for (let at = 2; ; ) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) throw new DomainError('picture-cut');
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++; // a fill byte
      continue;
    }
    at += 2;
    if (isBare(marker)) continue;
    if (marker === END_OF_IMAGE) {
      if (!size || scans === 0) throw new DomainError('picture-unreadable');
      return { type: 'jpeg', ...size, orientation, end: at };
    }
    requireBytes(bytes, at + 2);
    const length = bytes.readUInt16BE(at);
    requireBytes(bytes, at + length);
    if (isFrame(marker)) {
      // A second frame could be larger than the first.
      if (size || length < 8) throw new DomainError('picture-unreadable');
      size = { width: bytes.readUInt16BE(at + 5), height: bytes.readUInt16BE(at + 3) };
    }
    if (marker === APP1) orientation = orientationOf(bytes.subarray(at + 2, at + length)) ?? orientation;
    if (marker === START_OF_SCAN && ++scans > MAX_SCANS) throw new DomainError('picture-unreadable');
    at += Math.max(2, length);
  }
}

const ORIENTATION = 0x0112;
/** Stands before EXIF in a JPEG. PNG and WebP have it without, but some programs write it there too. */
const EXIF = 'Exif\0\0';

/**
 * Reads the orientation of EXIF (EXIF 2.32, 4.6): in the first directory of a small TIFF file. Returns undefined for anything
 * else, such as XMP, and for EXIF that cannot be read.
 */
function orientationOf(exif: Buffer): Orientation | undefined {
  const tiff = exif.toString('latin1', 0, EXIF.length) === EXIF ? exif.subarray(EXIF.length) : exif;
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return undefined;
  const isLittle = order === 'II';
  const read16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return undefined;
  const entries = read16(directory);
  for (let i = 0, at = directory + 2; i < entries && at + 12 <= tiff.length; i++, at += 12) {
    if (read16(at) !== ORIENTATION) continue;
    const value = read16(at + 8);
    return value >= 1 && value <= 8 ? (value as Orientation) : undefined;
  }
  return undefined;
}

/** Reads the size of a WebP file (RFC 9649, 2.4 to 2.7), and its orientation. */
function readWebp(bytes: Buffer): PictureHead {
  requireBytes(bytes, 30);
  const end = 8 + bytes.readUInt32LE(4);
  requireBytes(bytes, end);
  const orientation = orientationOfWebp(bytes.subarray(0, end)) ?? 1;
  return { type: 'webp', ...sizeOfWebp(bytes), orientation, end };
}

/** Each chunk has its name, its length, and its data, and begins at an even byte. What is wrong with them, the decoder says. */
function orientationOfWebp(file: Buffer): Orientation | undefined {
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4);
    const data = at + 8;
    if (file.toString('latin1', at, at + 4) === 'EXIF')
      return orientationOf(file.subarray(data, data + length));
    at = data + length + (length % 2);
  }
  return undefined;
}

function sizeOfWebp(bytes: Buffer): { width: number; height: number } {
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
  }
  if (kind === 'VP8 ') {
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  }
  throw new DomainError('picture-unreadable');
}

function requireBytes(bytes: Buffer, count: number): void {
  if (bytes.length < count) throw new DomainError('picture-cut');
}
