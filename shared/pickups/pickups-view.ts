import { measureText, testBand } from '../documents/printed-texts.ts';
import { inCharset } from '../labels/label-charset.ts';
import type { PickupsPayload, PrintedPickup } from './pickups-payload.ts';

/** Pick-ups on a page. */
const ROWS = 8;
/** In dots: the upper edge of the first pick-up, and the height of each. */
const FIRST_ROW = 320;
const ROW_HEIGHT = 224;

/** Returns the pick-ups of each page; a list without any has one page, which says so. */
export function pagesOfPickups({ pickups }: Pick<PickupsPayload, 'pickups'>): PrintedPickup[][] {
  const pages = Math.max(1, Math.ceil(pickups.length / ROWS));
  return Array.from({ length: pages }, (_, i) => pickups.slice(i * ROWS, (i + 1) * ROWS));
}

/** Returns what each page shows, in characters of the label's font. */
export function pickupsViews(payload: PickupsPayload) {
  const { carrier, logo, branch, date, pickups } = payload;
  const pages = pagesOfPickups(payload);
  return pages.map((rows, index) => ({
    carrier: { name: inCharset(carrier), logo },
    // Those of test accounts stand on no list.
    test: testBand(false),
    branch: inCharset(`${branch.code} · ${branch.name}`),
    date: date.split('-').reverse().join('/'),
    count: pickups.length === 1 ? '1 recolección' : `${pickups.length} recolecciones`,
    page: `Página ${index + 1} de ${pages.length}`,
    none: pickups.length === 0 ? 'Nadie ha pedido una recolección para este día.' : undefined,
    rows: rows.map((row, i) => rowView(row, FIRST_ROW + i * ROW_HEIGHT)),
  }));
}

/** @param y upper edge of the row, in dots. */
function rowView(pickup: PrintedPickup, y: number) {
  const { number, packages, weight, status, manifest, notes } = pickup;
  const goods = [
    packages === 1 ? '1 paquete' : `${packages} paquetes`,
    ...(weight === undefined ? [] : [`${measureText(weight)} kg`]),
    ...(manifest === undefined ? [] : [`manifiesto ${manifest}`]),
  ];
  return {
    ...{ code: number, barsY: y + 24, numberY: y + 168, ruleY: y + 208 },
    ...{ nameY: y + 52, streetY: y + 92, townY: y + 128, goodsY: y + 164, notesY: y + 196 },
    number: number.replace(/^R(\d{3})(\d{4})(\d{4})$/, 'R $1 $2 $3'),
    window: inCharset(pickup.window),
    // What is still to be done needs no word.
    status: status === 'Programada' ? undefined : status.toUpperCase(),
    account: inCharset(pickup.account),
    name: inCharset(`${pickup.name} · ${pickup.phones}`),
    street: inCharset(pickup.street),
    town: inCharset(pickup.town),
    goods: inCharset(goods.join(' · ')),
    notes: notes && inCharset(notes),
  };
}
