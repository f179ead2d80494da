/** In dots. */
export type Room = { x: number; y: number; width: number; height: number };

/**
 * Returns the place of a logo: as large as its room allows, at the left, in the middle of the height.
 *
 * @param logo a `data:` URI, as in the label's payload.
 */
export function logoLayout(logo: string, room: Room): Room {
  const ratio = ratioOf(logo);
  const height = Math.min(room.height, Math.floor(room.width / ratio));
  const width = Math.min(room.width, Math.round(height * ratio));
  return { x: room.x, y: room.y + ((room.height - height) >> 1), width, height };
}

/**
 * Returns width divided by height: of a PNG from the first fields of its first chunk, of an SVG from its `viewBox`,
 * which the api demands of a logo.
 */
function ratioOf(logo: string): number {
  const bytes = Buffer.from(logo.slice(logo.indexOf(',') + 1), 'base64');
  if (logo.startsWith('data:image/png')) return bytes.readUInt32BE(16) / bytes.readUInt32BE(20);
  const [, width, height] = /viewBox=["']\S+ \S+ (\S+) (\S+)["']/.exec(bytes.toString('utf8')) ?? [];
  const ratio = Number(width) / Number(height);
  return ratio > 0 && Number.isFinite(ratio) ? ratio : 1;
}
