import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidFileError, namingFile, readBytes } from '#shared/commands/csv.ts';

/** The files of a tariff, and the columns of each. */
export const TARIFF_COLUMNS = {
  'parametros.csv': ['Nombre', 'Valor'],
  'zonas.csv': ['Desde', 'Hasta', 'Grupo'],
  'rutas.csv': ['Origen', 'Destino', 'Zona', 'DiasMin', 'DiasMax'],
  'precios.csv': ['Lista', 'TipoServicio', 'TipoEnvio', 'Zona', 'HastaKg', 'Precio', 'KgExtra'],
  'recargos.csv': ['Concepto', 'Aplica', 'Mayor', 'Importe', 'Porcentaje', 'De', 'Minimo', 'Por', 'Dias'],
  'areas.csv': ['Area', 'Desde', 'Hasta'],
  'contratos.csv': ['Cuenta', 'Lista', 'Descuento'],
  'inhabiles.csv': ['Fecha', 'Motivo'],
  'ejemplos.csv': [
    ...['Cuenta', 'Origen', 'CodigoPostal', 'TipoServicio', 'TipoEnvio', 'Paquetes', 'Peso'],
    ...['Largo', 'Alto', 'Ancho', 'ValorDeclarado', 'Cobro', 'Total'],
  ],
} as const satisfies Record<string, readonly string[]>;

/** Columns that files of earlier releases lack. */
const ADDED_COLUMNS: { readonly [F in TariffFile]?: readonly (typeof TARIFF_COLUMNS)[F][number][] } = {
  'ejemplos.csv': ['Cobro'],
};

export type TariffFile = keyof typeof TARIFF_COLUMNS;
export const TARIFF_FILES = Object.keys(TARIFF_COLUMNS) as TariffFile[];
/** Files without which there is no tariff. */
export const REQUIRED_FILES: readonly TariffFile[] = [
  'parametros.csv',
  'zonas.csv',
  'rutas.csv',
  'precios.csv',
];

/** Returns the columns that a file must have. */
export function requiredColumnsOf<F extends TariffFile>(file: F): (typeof TARIFF_COLUMNS)[F][number][] {
  const columns: readonly (typeof TARIFF_COLUMNS)[F][number][] = TARIFF_COLUMNS[file];
  const added: readonly string[] = ADDED_COLUMNS[file] ?? [];
  return columns.filter((column) => !added.includes(column));
}

/** Returns how many rows a file must have: the others may end with their header, and then say nothing. */
export function leastRowsOf(file: TariffFile): 0 | 1 {
  return REQUIRED_FILES.includes(file) ? 1 : 0;
}

/** Files of a tariff by name, byte for byte as they were written. */
export type TariffFolder = ReadonlyMap<TariffFile, Buffer>;

/** Most bytes of one file: a version must fit into a document of MongoDB, which holds 16 MiB, when it is compressed. */
const MAX_FILE_MIB = 32;

/** Reads the tariff files of a folder, which may hold only those that change. @throws InvalidFileError */
export async function readTariffFolder(path: string): Promise<TariffFolder> {
  const names = await namingFile(path, () => tariffFilesIn(path));
  const files = names.map(async (name) => {
    const file = join(path, name);
    return [name, await namingFile(file, () => readBytes(file, MAX_FILE_MIB))] as const;
  });
  return new Map(await Promise.all(files));
}

async function tariffFilesIn(path: string): Promise<TariffFile[]> {
  const names = (await readdir(path)).filter((name) => name.toLowerCase().endsWith('.csv'));
  const unknown = names.filter((name) => !isTariffFile(name));
  if (unknown.length > 0) {
    throw new InvalidFileError(
      `La carpeta tiene archivos que no son de una tarifa: ${unknown.sort().join(', ')}. Son: ${TARIFF_FILES.join(', ')}`,
    );
  }
  if (names.length === 0) throw new InvalidFileError('La carpeta no tiene archivos .csv');
  return names.filter(isTariffFile);
}

/** Writes the files of a tariff into an existing folder. @throws if a file is there already. */
export async function writeTariffFolder(path: string, folder: TariffFolder): Promise<void> {
  for (const [name, content] of folder) await writeFile(join(path, name), content, { flag: 'wx' });
}

function isTariffFile(name: string): name is TariffFile {
  return Object.hasOwn(TARIFF_COLUMNS, name);
}
