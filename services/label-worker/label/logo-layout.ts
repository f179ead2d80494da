type Room = { x: number; width: number; gap: number; logo: { width: number; height: number } };

/**
 * Where the carrier's logo and name stand, in dots: the logo as large as its room allows, the name close behind it.
 *
 * @param logo a `data:` URI, as the label's payload has it.
 */
export function header(logo: string | undefined, { x, width, gap, logo: room }: Room) {
  if (!logo) return { name: { x, width } };
  const ratio = ratioOf(logo);
  const height = Math.min(room.height, Math.floor(room.width / ratio));
  const shown = { uri: logo, width: Math.min(room.width, Math.round(height * ratio)), height };
  const offset = shown.width + gap;
  return {
    logo: { ...shown, down: (room.height - height) >> 1 },
    name: { x: x + offset, width: width - offset },
  };
}

/** Width by height: the first fields of a PNG's first chunk, or the `viewBox` that each SVG logo has (`logo.ts` of the api). */
function ratioOf(logo: string): number {
  const bytes = Buffer.from(logo.slice(logo.indexOf(',') + 1), 'base64');
  if (logo.startsWith('data:image/png')) return bytes.readUInt32BE(16) / bytes.readUInt32BE(20);
  const [, width, height] = /viewBox=["']\S+ \S+ (\S+) (\S+)["']/.exec(bytes.toString('utf8')) ?? [];
  const ratio = Number(width) / Number(height);
  return ratio > 0 && Number.isFinite(ratio) ? ratio : 1;
}
