import { objectAt, type PdfObject, parseObject, withNumbers } from '#shared/pdf/read-pdf.ts';
import {
  DOTS_PER_POINT,
  type Drawing,
  type FloatingShape,
  floatingHref,
  type Rect,
  type Shape,
} from '../drawing.ts';

/** In points from the lower left. */
export type Link = { href: string; left: number; bottom: number; right: number; top: number };
/** Size in points. */
export type PageWithLinks = { width: number; height: number; links: readonly Link[] };

/**
 * In dots: how far a shape may differ from its link, and exceed its page. Chromium widens links to whole CSS pixels,
 * of 2.1 dots.
 */
const TOLERANCE = 4;

/** Removes and returns a page's links, which only mark positions. */
export function takeLinks(objects: Map<number, PdfObject>, page: number): Link[] {
  const object = objectAt(objects, page);
  if (!object.pieces.some((piece) => piece.includes('/Annots ['))) return [];
  let links: Link[] = [];
  const rest = withNumbers(object, (ref) => ref).replace(/\/Annots \[([^\]]*)\]/, (_, refs: string) => {
    links = refs.match(/\d+(?= 0 R)/g)?.map((ref) => linkOf(objectAt(objects, Number(ref)))) ?? [];
    return '';
  });
  objects.set(page, parseObject(Buffer.from(rest, 'latin1')));
  return links;
}

function linkOf({ pieces }: PdfObject): Link {
  const text = pieces.join('');
  const [left = 0, bottom = 0, right = 0, top = 0] =
    /\/Rect \[([^\]]*)\]/.exec(text)?.[1]?.split(' ').map(Number) ?? [];
  return { href: /\/URI \(([^)]*)\)/.exec(text)?.[1] ?? '', left, bottom, right, top };
}

/**
 * Puts floating shapes on whole dots in the middle of their links.
 * @param pages the label's pages in the print.
 * @throws if a shape is on no page, or exceeds its page, because a label must not lack a code. Also if a link is turned or
 * scaled, because its shape would cover the neighbours.
 */
export function withFloating(drawing: Drawing, pages: readonly PageWithLinks[]): Drawing {
  const { floating = [] } = drawing;
  if (floating.length === 0) return drawing;
  const missing = new Set(floating.keys());
  const own = pages.map((page, i) => {
    const shapes = floating.flatMap((shape, number) =>
      page.links
        .filter(({ href }) => href === floatingHref(number))
        .map((link) => {
          missing.delete(number);
          return placed(shape, link, page);
        }),
    );
    return [...(drawing.pages[i] ?? []), ...shapes];
  });
  if (missing.size > 0)
    throw new Error(`${missing.size} of ${floating.length} codes have no place on a page`);
  return { shared: drawing.shared, pages: own };
}

function placed({ shape, room }: FloatingShape, link: Link, page: PageWithLinks): Shape {
  const [x, y, width, height] = room;
  const dots = (points: number) => Math.round(points * DOTS_PER_POINT);
  const [across, down] = [dots(link.right - link.left), dots(link.top - link.bottom)];
  if (Math.abs(across - width) > TOLERANCE || Math.abs(down - height) > TOLERANCE)
    throw new Error(
      `A code of ${width} × ${height} dots has a room of ${across} × ${down}: is it in a turned, scaled or cut element?`,
    );
  const left = Math.round(((link.left + link.right) / 2) * DOTS_PER_POINT - width / 2);
  const top = Math.round((page.height - (link.top + link.bottom) / 2) * DOTS_PER_POINT - height / 2);
  const fits = (from: number, size: number, points: number) =>
    from >= -TOLERANCE && from + size <= points * DOTS_PER_POINT + TOLERANCE;
  if (!fits(left, width, page.width) || !fits(top, height, page.height))
    throw new Error('A code reaches out of its page');
  return shape.map(([barX, barY, ...size]): Rect => [left + barX - x, top + barY - y, ...size]);
}
