import { dateText, measureText, NONE, testBand } from '../documents/printed-texts.ts';
import { inCharset } from '../labels/label-charset.ts';
import { isTestManifest, totalsOf } from './manifest.ts';
import type { ManifestPayload } from './manifest-payload.ts';

type Row = ManifestPayload['guides'][number];
/** A line of the list: a guide, or the destination of the guides below it, `again` on top of a page. */
type Line =
  | { guide: Row; position: number }
  | { destination: string; guides: readonly Row[]; again: boolean };

/** In dots: the baseline of the first line, and the height of each. */
const FIRST_LINE = 534;
const LINE_HEIGHT = 37;
/** Lines of a page, and of the last page, on which totals and signatures stand too. */
const LINES = 43;
const LAST_LINES = 29;
/** Least lines of a last page that is not the only one: no page is printed for one row. */
const FEW_LINES = 8;
const MONEY = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });
const SERVICES = { Domicilio: 'Domicilio', 'the service': 'Sucursal' } as const;
const CODES = new Intl.Collator('es-MX', { numeric: true });

/** Returns what each page of a manifest shows, in characters of the label's font. The last one has the totals. */
export function manifestViews(payload: ManifestPayload) {
  const { number, createdAt, account, carrier, logo, origin, guides, routes } = payload;
  const pages = pagesOf(payload);
  return pages.map((lines, index) => ({
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
    lines: lines.map((line, i) => lineView(line, payload, FIRST_LINE + i * LINE_HEIGHT)),
    totals: index === pages.length - 1 ? totalsView(guides) : undefined,
  }));
}

/**
 * Returns the lines of each page: the guides by destination and route, below a line for each destination. No page ends
 * with such a line, and a destination that goes on begins the next page with one.
 */
export function pagesOf({ guides, routes = {} }: Pick<ManifestPayload, 'guides' | 'routes'>): Line[][] {
  const sorted = guides.toSorted(
    (a, b) =>
      CODES.compare(a.destination, b.destination) ||
      CODES.compare(routes[a.number] ?? '', routes[b.number] ?? ''),
  );
  const rows = sorted.map((guide, i) => ({ guide, position: i + 1 }));
  const byDestination = Map.groupBy(sorted, ({ destination }) => destination);
  const pages: Line[][] = [];
  for (let printed = 0; printed < rows.length; ) {
    const lines = linesFrom(rows.slice(printed), byDestination);
    const isLast = lines.length <= LAST_LINES;
    let end = isLast ? lines.length : Math.min(LINES, lines.length - FEW_LINES);
    if (!isRow(lines[end - 1])) end--;
    const page = lines.slice(0, end);
    pages.push(page);
    printed += page.filter(isRow).length;
  }
  return pages;
}

type RowLine = Extract<Line, { guide: Row }>;

function isRow(line: Line | undefined): line is RowLine {
  return line !== undefined && 'guide' in line;
}

function linesFrom(rows: readonly RowLine[], byDestination: ReadonlyMap<string, readonly Row[]>): Line[] {
  return rows.flatMap((row, i): Line[] => {
    const { destination } = row.guide;
    if (rows[i - 1]?.guide.destination === destination) return [row];
    const guides = byDestination.get(destination) ?? [];
    return [{ destination, guides, again: guides[0] !== row.guide }, row];
  });
}

/** @param y baseline of the line, in dots; its rule is below it. */
function lineView(line: Line, { routes, details = {}, branches = {} }: ManifestPayload, y: number) {
  if (!isRow(line)) return destinationView(line, branches, y);
  const { number } = line.guide;
  return {
    ...{ y, ruleY: y + 11, branch: undefined },
    ...rowView(line),
    route: routes && (routes[number] ?? NONE),
    reference: inCharset(details[number]?.reference ?? NONE),
    place: inCharset(details[number]?.place ?? NONE),
  };
}

function destinationView(
  { destination, guides, again }: Exclude<Line, RowLine>,
  branches: Readonly<Record<string, string>>,
  y: number,
) {
  const name = branches[destination];
  const { packages, weight } = sumsView(guides);
  return {
    ...{ y, ruleY: y + 11 },
    branch: inCharset(name === undefined ? destination : `${destination} · ${name}`),
    sums: again ? 'continúa' : `${inWords(guides.length, 'guía', 'guías')} · ${packages} · ${weight}`,
  };
}

function rowView({
  guide: { number, service, postalCode = NONE, packages, weight, cod, cancelled },
  position,
}: RowLine) {
  return {
    position: String(position),
    number: number.replace(/(\d{4})(?=\d)/g, '$1 '),
    service: SERVICES[service],
    postalCode: inCharset(postalCode),
    packages: String(packages),
    weight: weight === undefined ? NONE : measureText(weight),
    // Nothing is collected of a cancelled one.
    cancelled: cancelled && 'CANCELADA',
    cod: cod === undefined || cancelled ? undefined : MONEY.format(cod),
  };
}

function sumsView(guides: readonly Row[]) {
  const { packages, weight, unweighed } = totalsOf(guides);
  return {
    packages: inWords(packages, 'paquete', 'paquetes'),
    weight: unweighed === guides.length ? 'Peso no declarado' : `${measureText(weight)} kg`,
  };
}

function totalsView(guides: readonly Row[]) {
  const { unweighed } = totalsOf(guides);
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
    ...sumsView(guides),
    notes: notes.filter(Boolean).join(' '),
  };
}

function inWords(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
