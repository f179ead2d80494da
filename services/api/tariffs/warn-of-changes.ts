import { formatPercent, formatPesos } from './amounts.ts';
import type { PostalRanges } from './postal-ranges.ts';
import { type Parameters, type PriceBreaks, priceName, type Surcharge, type Tariff } from './tariff.ts';
import type { TariffFile } from './tariff-files.ts';
import type { TariffReport } from './tariff-report.ts';

/** Most missing rows that are named one by one if they are more than half of a file. */
const MAX_GONE = 3;

/** A number of a row: its name in messages, its value, and how it is written. */
type Figure = { column: string; value: number; write: (value: number) => string };
/** A row of a file by what identifies it, with its numbers and the line at which it stands. */
type Rows = Map<string, { line: number; figures: Figure[] }>;

/**
 * Warns of what a tariff changes that is probably a mistake: rows that the tariff in force has and this one lacks, and
 * numbers that differ by more than a third.
 *
 * @param from local date on which the tariff begins; holidays before it may go.
 */
export function warnOfChanges(tariff: Tariff, inForce: Tariff, from: string, report: TariffReport): void {
  const former = rowsOf(inForce, from);
  for (const [file, rows] of Object.entries(rowsOf(tariff, from)) as [TariffFile, Rows][]) {
    const before = [...(former[file] ?? [])];
    warnOfGone(
      file,
      before.filter(([name]) => !rows.has(name)),
      before.length,
      report,
    );
    for (const [name, { figures }] of before) {
      const row = rows.get(name);
      if (row) warnOfFigures(file, row, figures, report);
    }
  }
  warnOfZones(tariff, inForce, report);
}

function warnOfGone(
  file: TariffFile,
  gone: readonly [string, { line: number }][],
  count: number,
  report: TariffReport,
): void {
  if (gone.length * 2 > count && gone.length > MAX_GONE) {
    const reason = `faltan ${gone.length} filas de ${count}: ¿puso solo las que cambian? Cada archivo va completo`;
    report.warn(file, { line: 1, reason });
    return;
  }
  for (const [value, { line }] of gone) {
    report.warn(file, { line: 1, value, reason: `falta esta fila, la linea ${line} de la version en vigor` });
  }
}

/** Writes the limit of a surcharge as the file has it. */
function limitText(applies: Surcharge['applies'], above: number): string {
  if (applies === 'lado') return `${above / 10}`;
  return applies === 'peso' ? `${above / 1_000}` : formatPesos(above);
}

function warnOfFigures(
  file: TariffFile,
  { line, figures }: { line: number; figures: readonly Figure[] },
  former: readonly Figure[],
  report: TariffReport,
): void {
  for (const { column, value, write } of figures) {
    const before = former.find((figure) => figure.column === column)?.value ?? 0;
    if (before === 0 || Math.abs(value - before) * 3 <= before) continue;
    const reason = `cambia mas de un tercio: antes ${write(before)}`;
    report.warn(file, { line, column, value: write(value), reason });
  }
}

function warnOfZones({ routes }: Tariff, inForce: Tariff, report: TariffReport): void {
  for (const [key, { zone, line }] of routes) {
    const before = inForce.routes.get(key)?.zone;
    if (before === undefined || before === zone) continue;
    report.warn('rutas.csv', { line, column: 'Zona', value: zone, reason: `antes ${before}` });
  }
}

function rowsOf(tariff: Tariff, from: string): { [File in TariffFile]?: Rows } {
  const { groups, prices, surcharges, areas, contracts, holidays, parameters } = tariff;
  return {
    'parametros.csv': new Map([['', { line: 1, figures: parameterFigures(parameters) }]]),
    'zonas.csv': rangeRows(groups),
    'precios.csv': new Map([...prices.values()].flatMap(priceRows)),
    'recargos.csv': new Map(
      surcharges.map(({ name, applies, above, line, amount, percentage, minimum }) => {
        const figures = [
          { column: 'Importe', value: amount, write: formatPesos },
          { column: 'Porcentaje', value: percentage, write: formatPercent },
          { column: 'Minimo', value: minimum, write: formatPesos },
        ];
        return [above > 0 ? `${name}, Mayor ${limitText(applies, above)}` : name, { line, figures }];
      }),
    ),
    'areas.csv': new Map([...areas.values()].flatMap((ranges) => [...rangeRows(ranges)])),
    'contratos.csv': new Map(
      [...contracts].map(([account, { discount, line }]) => [
        account,
        { line, figures: [{ column: 'Descuento', value: discount, write: formatPercent }] },
      ]),
    ),
    'inhabiles.csv': new Map(
      [...holidays].flatMap(([date, line]) => (date < from ? [] : [[date, { line, figures: [] }]])),
    ),
  };
}

function rangeRows({ ranges }: PostalRanges): Rows {
  return new Map(ranges.map(({ from, to, name, line }) => [`${from}-${to} ${name}`, { line, figures: [] }]));
}

function priceRows(row: PriceBreaks): [string, { line: number; figures: Figure[] }][] {
  return row.breaks.map(({ upToGrams, price, extra = 0, line }) => {
    const figures = [
      { column: 'Precio', value: price, write: formatPesos },
      { column: 'KgExtra', value: extra, write: formatPesos },
    ];
    return [priceName(row, upToGrams), { line, figures }];
  });
}

function parameterFigures({
  divisor,
  stepGrams,
  maxGrams,
  maxMillimetres,
  vat,
  borderVat,
}: Parameters): Figure[] {
  const plain = (scale: number) => (value: number) => `${value / scale}`;
  return [
    { column: 'Divisor', value: divisor, write: plain(1) },
    { column: 'EscalonKg', value: stepGrams, write: plain(1_000) },
    { column: 'MaximoKg', value: maxGrams, write: plain(1_000) },
    { column: 'MaximoCm', value: maxMillimetres, write: plain(10) },
    { column: 'IVA', value: vat, write: plain(100) },
    { column: 'IVAFrontera', value: borderVat, write: plain(100) },
  ];
}
