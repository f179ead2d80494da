import { setImmediate as nextTurn } from 'node:timers/promises';
import { InvalidFileError, parseRows, type Row } from '#shared/commands/csv.ts';
import {
  ACCOUNT,
  CENTIMETRES,
  type Cell,
  CellReader,
  DATE,
  DAYS,
  DECLARED,
  KILOGRAMS,
  MONEY,
  NAME,
  NOTE,
  oneOf,
  orElse,
  PACKAGES,
  PERCENTAGE,
  PLACE,
  POSTAL_CODE,
  type Reader,
  SERVICE,
  SHIPMENT_TYPE,
} from './cells.ts';
import { type PostalRange, PostalRanges } from './postal-ranges.ts';
import {
  type Contract,
  type Example,
  PARAMETERS,
  type Parameters,
  type PriceBreaks,
  priceKey,
  routeKey,
  SURCHARGED_MEASURES,
  type Surcharge,
  type SurchargedMeasure,
  type Tariff,
  type TariffRoute,
} from './tariff.ts';
import {
  leastRowsOf,
  REQUIRED_FILES,
  requiredColumnsOf,
  TARIFF_COLUMNS,
  TARIFF_FILES,
  type TariffFile,
  type TariffFolder,
} from './tariff-files.ts';
import type { TariffReport } from './tariff-report.ts';

/** Rows that are read in one turn of the event loop, some ten milliseconds: requests are answered in between. */
const ROWS_AT_ONCE = 2_000;

/**
 * Reads a tariff from its files, in turns that let other work in between.
 *
 * @param report receives what is wrong with single cells, names that are there twice, and files that only a later release
 * knows.
 * @returns undefined if there is an error: what the cells say together would only repeat it.
 */
export async function readTariff(folder: TariffFolder, report: TariffReport): Promise<Tariff | undefined> {
  for (const file of REQUIRED_FILES) {
    if (!folder.has(file)) report.error(file, { reason: 'falta el archivo' });
  }
  for (const file of folder.keys()) {
    if (!TARIFF_FILES.includes(file))
      report.error(file, { reason: 'es de una version posterior del sistema' });
  }
  const files = new FilesReader(folder, report);
  const tariff = {
    parameters: await readParameters(files),
    groups: new PostalRanges(await readRanges(files, 'zonas.csv', 'Grupo')),
    routes: await readRoutes(files),
    prices: await readPrices(files),
    surcharges: await readSurcharges(files),
    areas: byArea(await readRanges(files, 'areas.csv', 'Area')),
    contracts: await readContracts(files),
    holidays: await readHolidays(files),
    examples: await readExamples(files),
  };
  return report.errors.count === 0 ? tariff : undefined;
}

/** Reads the files of one folder; what is wrong goes into the report. */
class FilesReader {
  readonly #folder: TariffFolder;
  readonly report: TariffReport;

  constructor(folder: TariffFolder, report: TariffReport) {
    this.#folder = folder;
    this.report = report;
  }

  /** Reads each row of a file, if the folder has it. Rows with a cell that does not fit are left out. */
  async rows<F extends TariffFile, T>(file: F, read: (cells: CellReader<Column<F>>) => T): Promise<T[]> {
    const content = this.#folder.get(file);
    const records: T[] = [];
    if (!content) return records;
    try {
      let count = 0;
      const columns: readonly Column<F>[] = TARIFF_COLUMNS[file];
      const [text, report] = [content.toString('utf8'), this.report.errors.of(file)];
      for (const row of parseRows(text, columns, report, requiredColumnsOf(file), leastRowsOf(file))) {
        const cells = new CellReader(row as Row<Column<F>>, (problem) => this.report.error(file, problem));
        const record = read(cells);
        if (cells.ok) records.push(record);
        if (++count % ROWS_AT_ONCE === 0) await nextTurn();
      }
    } catch (error) {
      if (!(error instanceof InvalidFileError)) throw error;
      this.report.error(file, { reason: error.message });
    }
    return records;
  }

  /** Collects records by a key; a key that is there again is an error at its line. */
  byKey<T extends { line: number }>(
    file: TariffFile,
    records: readonly T[],
    keyOf: (record: T) => string,
    name = keyOf,
  ): Map<string, T> {
    const found = new Map<string, T>();
    for (const record of records) {
      const earlier = found.get(keyOf(record));
      if (!earlier) found.set(keyOf(record), record);
      else this.repeated(file, record, name(record), earlier);
    }
    return found;
  }

  repeated(file: TariffFile, { line }: { line: number }, value: string, earlier: { line: number }): void {
    this.report.error(file, { line, value, reason: `repetido, ya esta en la linea ${earlier.line}` });
  }
}
type Column<F extends TariffFile> = (typeof TARIFF_COLUMNS)[F][number];

async function readParameters(files: FilesReader): Promise<Parameters> {
  const file = 'parametros.csv';
  const parameters = Object.entries(PARAMETERS);
  const cellOf = Object.fromEntries(parameters.map(([, { name, cell }]) => [name, cell as Cell<unknown>]));
  const rows = await files.rows(file, (cells) => {
    const name = cells.read('Nombre', oneOf(...Object.keys(cellOf)));
    const cell = cellOf[name];
    return { name, value: cell && cells.read('Valor', cell), line: cells.line };
  });
  const found = files.byKey(file, rows, ({ name }) => name);
  const values: Record<string, unknown> = {};
  for (const [key, { name, ...parameter }] of parameters) {
    const byDefault = 'byDefault' in parameter ? parameter.byDefault : undefined;
    values[key] = found.get(name)?.value ?? (byDefault === 'vat' ? values.vat : byDefault);
    if (values[key] === undefined) files.report.error(file, { reason: `falta ${name}` });
  }
  return values as Parameters;
}

async function readRanges<F extends 'zonas.csv' | 'areas.csv'>(
  files: FilesReader,
  file: F,
  nameColumn: string,
) {
  return files.rows(file, (cells): PostalRange => {
    const range = {
      from: cells.read('Desde', POSTAL_CODE),
      to: cells.read('Hasta', POSTAL_CODE),
      name: cells.read(nameColumn as never, NAME),
      line: cells.line,
    };
    if (cells.ok && range.to < range.from) cells.refuse('Hasta', `es menor que Desde, ${range.from}`);
    return range;
  });
}

function byArea(ranges: readonly PostalRange[]): Tariff['areas'] {
  const names = Map.groupBy(ranges, ({ name }) => name);
  return new Map([...names].map(([name, own]) => [name, new PostalRanges(own)]));
}

async function readRoutes(files: FilesReader): Promise<Tariff['routes']> {
  const routes = await files.rows('rutas.csv', (cells): TariffRoute => {
    const route = {
      from: cells.read('Origen', NAME),
      to: cells.read('Destino', NAME),
      zone: cells.read('Zona', NAME),
      minDays: cells.read('DiasMin', DAYS),
      maxDays: cells.read('DiasMax', DAYS),
      line: cells.line,
    };
    if (cells.ok && route.maxDays < route.minDays)
      cells.refuse('DiasMax', `es menor que DiasMin, ${route.minDays}`);
    return route;
  });
  return files.byKey(
    'rutas.csv',
    routes,
    ({ from, to }) => routeKey(from, to),
    ({ from, to }) => `${from} a ${to}`,
  );
}

async function readPrices(files: FilesReader): Promise<Tariff['prices']> {
  const file = 'precios.csv';
  const rows = await files.rows(file, (cells) => ({
    list: cells.read('Lista', NAME),
    service: cells.read('TipoServicio', SERVICE),
    type: cells.read('TipoEnvio', SHIPMENT_TYPE),
    zone: cells.read('Zona', NAME),
    upToGrams: cells.read('HastaKg', KILOGRAMS),
    price: cells.read('Precio', MONEY),
    extra: cells.read('KgExtra', orElse(MONEY, null)) ?? undefined,
    line: cells.line,
  }));
  const prices = new Map<string, PriceBreaks>();
  for (const [index, { list, service, type, zone, upToGrams, price, extra, line }] of rows.entries()) {
    if (index % ROWS_AT_ONCE === 0) await nextTurn();
    const key = priceKey(list, service, type, zone);
    const breaks = prices.get(key)?.breaks ?? [];
    const earlier = breaks.find((other) => other.upToGrams === upToGrams);
    if (earlier)
      files.repeated(file, { line }, `${list}, ${service}, zona ${zone}, ${upToGrams / 1_000} kg`, earlier);
    breaks.push({ upToGrams, price, ...(extra !== undefined && { extra }), line });
    prices.set(key, { list, service, type, zone, breaks });
  }
  for (const { breaks } of prices.values()) breaks.sort((one, other) => one.upToGrams - other.upToGrams);
  return prices;
}

const SURCHARGED_NAMES = Object.keys(SURCHARGED_MEASURES) as SurchargedMeasure[];

async function readSurcharges(files: FilesReader): Promise<Surcharge[]> {
  const surcharges = await files.rows('recargos.csv', (cells): Surcharge => {
    return {
      applies: readApplies(cells),
      name: cells.read('Concepto', NAME),
      amount: cells.read('Importe', orElse(MONEY, 0)),
      percentage: cells.read('Porcentaje', orElse(PERCENTAGE, 0)),
      base: cells.read('De', orElse(oneOf('flete', 'subtotal', 'declarado', 'cobro'), 'flete' as const)),
      minimum: cells.read('Minimo', orElse(MONEY, 0)),
      perPackage: cells.read('Por', orElse(oneOf('guia', 'paquete'), 'guia' as const)) === 'paquete',
      days: cells.read('Dias', orElse(DAYS, 0)),
      line: cells.line,
    };
  });
  const keyOf = ({ name, applies }: Surcharge) => JSON.stringify([name, applies]);
  return [...files.byKey('recargos.csv', surcharges, keyOf, ({ name }) => name).values()];
}
/** When a surcharge applies, by the cell `Aplica` alone. */
const APPLIES: Reader<'siempre' | { area: string } | { measure: SurchargedMeasure }> = {
  read: (cell) => {
    const [, area] = /^area:\s*(\S.*)$/.exec(cell) ?? [];
    if (area !== undefined) return { area };
    const measure = SURCHARGED_NAMES.find((name) => name === cell);
    return measure ? { measure } : cell === 'siempre' ? cell : undefined;
  },
  reason: `debe ser siempre, ${SURCHARGED_NAMES.join(', ')} o area:NOMBRE`,
};
const SURCHARGED_IN_WORDS = new Intl.ListFormat('es', { type: 'disjunction' }).format(SURCHARGED_NAMES);

function readApplies(cells: CellReader<'Aplica' | 'Mayor'>): Surcharge['applies'] {
  const applies = cells.read('Aplica', APPLIES);
  if (typeof applies === 'object' && 'measure' in applies) {
    return { ...applies, above: cells.read('Mayor', SURCHARGED_MEASURES[applies.measure].cell) };
  }
  if (cells.text('Mayor') !== '') cells.refuse('Mayor', `solo va con ${SURCHARGED_IN_WORDS}`);
  return applies;
}

async function readContracts(files: FilesReader): Promise<Tariff['contracts']> {
  const contracts = await files.rows('contratos.csv', (cells): Contract & { account: string } => ({
    account: cells.read('Cuenta', ACCOUNT),
    list: cells.read('Lista', NAME),
    discount: cells.read('Descuento', orElse(PERCENTAGE, 0)),
    line: cells.line,
  }));
  return files.byKey('contratos.csv', contracts, ({ account }) => account);
}

async function readHolidays(files: FilesReader): Promise<Tariff['holidays']> {
  const days = await files.rows('inhabiles.csv', (cells) => {
    cells.read('Motivo', NOTE);
    return { date: cells.read('Fecha', DATE), line: cells.line };
  });
  const dates = files.byKey('inhabiles.csv', days, ({ date }) => date);
  return new Map([...dates].map(([date, { line }]) => [date, line]));
}

async function readExamples(files: FilesReader): Promise<Example[]> {
  return files.rows('ejemplos.csv', (cells): Example => {
    const grams = cells.read('Peso', KILOGRAMS);
    const cod = cells.read('Cobro', orElse(DECLARED, 0));
    const sides = (['Largo', 'Alto', 'Ancho'] as const).map((side) => cells.read(side, CENTIMETRES));
    return {
      account: cells.read('Cuenta', orElse(ACCOUNT, '')),
      parcel: {
        origin: cells.read('Origen', PLACE),
        destination: cells.read('CodigoPostal', POSTAL_CODE),
        service: cells.read('TipoServicio', SERVICE),
        type: cells.read('TipoEnvio', SHIPMENT_TYPE),
        packages: cells.read('Paquetes', orElse(PACKAGES, 1)),
        grams,
        sides: sides.toSorted((one, other) => one - other) as [number, number, number],
        declared: cells.read('ValorDeclarado', orElse(DECLARED, 0)),
        ...(cod > 0 && { cod }),
      },
      total: cells.read('Total', MONEY),
      line: cells.line,
    };
  });
}
