import { logoSize } from '#shared/labels/logo-size.ts';

export type Room = { x: number; y: number; width: number; height: number };

/**
 * Positions a logo at the left and in the middle of the height, as large as its room allows. Sizes are in dots.
 * @param logo a `data:` URI.
 * @throws if the logo has no size. The api refuses such a logo at its start.
 */
export function logoLayout(logo: string, room: Room): Room {
  const bytes = Buffer.from(logo.slice(logo.indexOf(',') + 1), 'base64');
  const size = logoSize(bytes, logo.startsWith('data:image/png'));
  if (!size) throw new Error('The logo has no size');
  const ratio = size.width / size.height;
  const height = Math.max(1, Math.min(room.height, Math.floor(room.width / ratio)));
  const width = Math.max(1, Math.min(room.width, Math.round(height * ratio)));
  return { x: room.x, y: room.y + ((room.height - height) >> 1), width, height };
}
