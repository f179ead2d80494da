import { dateText, measureText, NONE, testBand } from '../documents/printed-texts.ts';
import { inCharset } from '../labels/label-charset.ts';
import { isTestManifest, pagesOf, totalsOf } from './manifest.ts';
import type { ManifestPayload } from './manifest-payload.ts';

type Row = ManifestPayload['guides'][number];

/** In dots: the baseline of the first row, and the height of each. */
const FIRST_ROW = 538;
const ROW_HEIGHT = 44;
const MONEY = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });
const SERVICES = { Domicilio: 'Domicilio', 'the service': 'Recoge en sucursal' } as const;

/** Returns what each page of a manifest shows, in characters of the label's font. The last one has the totals. */
export function manifestViews({
  number,
  createdAt,
  account,
  carrier,
  logo,
  origin,
  guides,
  routes,
}: ManifestPayload) {
  const pages = pagesOf(guides);
  let printed = 0;
  return pages.map((rows, index) => {
    const before = printed;
    printed += rows.length;
    return {
      carrier: { name: inCharset(carrier), logo },
      code: number,
      number: number.replace(/^M(\d{3})(\d{4})(\d{4})$/, 'M $1 $2 $3'),
      test: testBand(isTestManifest(number)),
      account: inCharset(account),
      origin: inCharset(`${origin.code} · ${origin.name}`),
      date: dateText(createdAt),
      page: `Página ${index + 1} de ${pages.length}`,
      // Without routes there is no column of them.
      routeHead: routes && 'RUTA',
      codHead: guides.some(({ cod }) => cod !== undefined) ? 'COBRO' : undefined,
      rows: rows.map((row, i) => ({
        ...rowView(row, before + i + 1, FIRST_ROW + i * ROW_HEIGHT),
        route: routes && (routes[row.number] ?? NONE),
      })),
      totals: index === pages.length - 1 ? totalsView(guides) : undefined,
    };
  });
}

/** @param y baseline of the row, in dots; its rule is below it. */
function rowView(
  { number, service, destination, postalCode = NONE, packages, weight, cod, cancelled }: Row,
  position: number,
  y: number,
) {
  return {
    y,
    ruleY: y + 12,
    position: String(position),
    number: number.replace(/(\d{4})(?=\d)/g, '$1 '),
    service: SERVICES[service],
    destination: inCharset(destination),
    postalCode: inCharset(postalCode),
    packages: String(packages),
    weight: weight === undefined ? NONE : measureText(weight),
    // Nothing is collected of a cancelled one.
    cancelled: cancelled && 'CANCELADA',
    cod: cod === undefined || cancelled ? undefined : MONEY.format(cod),
  };
}

function totalsView(guides: readonly Row[]) {
  const { packages, weight, unweighed } = totalsOf(guides);
  const cancelled = guides.filter((guide) => guide.cancelled).length;
  const { cod } = totalsOf(guides.filter((guide) => !guide.cancelled));
  const notes = [
    cod !== undefined && `Por cobrar al entregar: ${MONEY.format(cod)}.`,
    cancelled > 0 &&
      `${inWords(cancelled, 'guía', 'guías')} de la lista se ${cancelled === 1 ? 'canceló' : 'cancelaron'} después.`,
    unweighed > 0 && `${inWords(unweighed, 'guía', 'guías')} sin peso.`,
  ];
  return {
    guides: inWords(guides.length, 'guía', 'guías'),
    packages: inWords(packages, 'paquete', 'paquetes'),
    weight: unweighed === guides.length ? 'Peso no declarado' : `${measureText(weight)} kg`,
    notes: notes.filter(Boolean).join(' '),
  };
}

function inWords(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
