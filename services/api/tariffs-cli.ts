import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import { Type } from 'typebox';
import { operatorOf } from '#shared/audit/record-command.ts';
import { type Run, runCommandLine, typedPath, UsageError } from '#shared/commands/run-command-line.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { branchCode } from '#shared/contracts/branch.ts';
import { SERVICE_TYPES } from '#shared/contracts/guide.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { BranchStore } from '#shared/stores/branch-store.ts';
import { aligned, parseInteger } from './commands/command-line.ts';
import { ApiConfig } from './config.ts';
import { localTimeFormatter, momentOf } from './local-time.ts';
import { formatKilograms, formatPesos, toCentavos, toUnits } from './tariffs/amounts.ts';
import { checkTariff } from './tariffs/check-tariff.ts';
import { describeLine, describeNoPrice, priceParcel } from './tariffs/price.ts';
import { readTariff } from './tariffs/read-tariff.ts';
import { readSurroundings } from './tariffs/surroundings.ts';
import type { Parcel, Tariff } from './tariffs/tariff.ts';
import { describeDifference } from './tariffs/tariff-difference.ts';
import {
  readTariffFolder,
  TARIFF_COLUMNS,
  type TariffFolder,
  withChanges,
  writeTariffFolder,
} from './tariffs/tariff-files.ts';
import { TariffReport } from './tariffs/tariff-report.ts';
import { TariffStore } from './tariffs/tariff-store.ts';
import { inForceAt, type TariffVersion, versionsIn } from './tariffs/tariff-versions.ts';

/** `npm run tariffs -- …`: versions of the tariff as folders of CSV files (docs/tarifas.md). */

const NAME = 'npm run tariffs --';
const HELP = `
Los archivos, en UTF-8 y separados por , o ; (la carpeta tiene solo los que cambian):
${Object.entries(TARIFF_COLUMNS)
  .map(([file, columns]) => `  ${file.padEnd(15)} ${columns.join(',')}`)
  .join('\n')}

Ejemplos:
  ${NAME} check carpeta
  ${NAME} import carpeta --from 2026-12-01
  ${NAME} quote --account tienda --origin MEX01 --cp 64000 --kg 2.5 --cm 30,20,15`;

if (import.meta.main) process.exitCode = await run(process.argv);

/** Runs a command. @returns the exit code. */
export function run(argv: string[]): Promise<number> {
  return runCommandLine(
    {
      name: NAME,
      service: 'tariffs',
      addCommands(program, run) {
        program
          .description('Revisa, carga y retira tarifas. Lee MONGODB_URI y TIME_ZONE del entorno.')
          .addHelpText('after', HELP);
        addCheck(program, run);
        addImport(program, run);
        addVersions(program, run);
        addQuote(program, run);
      },
    },
    argv,
  );
}

/** Stored versions, and the number of the entry that the next one follows. */
type Tariffs = { mongo: Connection; store: TariffStore; versions: TariffVersion[]; last: number };

async function openTariffs(mongo: Connection): Promise<Tariffs> {
  const store = new TariffStore(mongo);
  const entries = await store.entries();
  return { mongo, store, last: entries.at(-1)?._id ?? 0, versions: versionsIn(entries) };
}

function addCheck(program: Command, run: Run): void {
  program
    .command('check')
    .description('revisa una carpeta y dice que cambiaria; no cambia nada')
    .argument('<carpeta>')
    .option('--from <fecha>', 'desde que dia rigiria, como 2026-12-01', parseDate)
    .action((path: string, { from }: { from?: string }) =>
      run(async (mongo) => {
        const { report, text } = await checkFolder(
          await openTariffs(mongo),
          typedPath(path),
          beginningOf(from),
        );
        if (report.errors.count > 0) throw new Error(text);
        return { text: `${text}\nPrueba, no se cambio nada` };
      }),
    );
}

function addImport(program: Command, run: Run): void {
  program
    .command('import')
    .description('carga una carpeta como version nueva, si no tiene errores')
    .argument('<carpeta>')
    .option(
      '--from <fecha>',
      'desde que dia rige, a las 00:00, como 2026-12-01; si falta, desde ahora',
      parseDate,
    )
    .option('--accept-warnings', 'la carga aunque haya avisos')
    .action((path: string, { from, acceptWarnings = false }: { from?: string; acceptWarnings?: boolean }) =>
      run(
        async (mongo) => {
          const tariffs = await openTariffs(mongo);
          const begins = beginningOf(from);
          const { folder, report, text } = await checkFolder(tariffs, typedPath(path), begins);
          if (report.errors.count > 0) throw new Error(text);
          if (report.warnings.count > 0 && !acceptWarnings) {
            throw new Error(`${text}\nNo se cargo nada: corrija los avisos, o agregue --accept-warnings`);
          }
          const version = await addVersion(tariffs, folder, begins.moment);
          return { text: `${text}\nVersion ${version}, en vigor desde ${begins.text}`, details: { version } };
        },
        {
          action: 'tariffs.import',
          details: {
            folder: basename(path),
            ...(from && { from }),
            ...(acceptWarnings && { acceptWarnings }),
          },
        },
      ),
    );
}

function addVersions(program: Command, run: Run): void {
  program
    .command('list')
    .description('las versiones, y cual esta en vigor')
    .action(() =>
      run(async (mongo) => {
        const { versions } = await openTariffs(mongo);
        return { text: versions.length > 0 ? versionTable(versions) : 'No hay tarifas' };
      }),
    );
  program
    .command('export')
    .description('escribe los archivos de una version en una carpeta nueva')
    .argument('<version>', undefined, parseVersion)
    .argument('<carpeta>')
    .action((version: number, path: string) =>
      run(async (mongo) => {
        const folder = await folderOf(await openTariffs(mongo), version);
        await mkdir(typedPath(path));
        await writeTariffFolder(typedPath(path), folder);
        return { text: `Archivos de la version ${version}: ${[...folder.keys()].join(', ')}` };
      }),
    );
  program
    .command('restore')
    .description('pone los archivos de una version otra vez en vigor, como version nueva')
    .argument('<version>', undefined, parseVersion)
    .action((version: number) =>
      run(async (mongo) => {
        const tariffs = await openTariffs(mongo);
        const begins = beginningOf(undefined);
        const restored = await addVersion(tariffs, await folderOf(tariffs, version), begins.moment);
        return {
          text: `Version ${restored}, con los archivos de la ${version}, en vigor desde ${begins.text}`,
          details: { restored },
        };
      }),
    );
  program
    .command('withdraw')
    .description('retira una version para siempre; sus cotizaciones se rechazan')
    .argument('<version>', undefined, parseVersion)
    .action((version: number) =>
      run(async (mongo) => {
        const { store, versions, last } = await openTariffs(mongo);
        const found = versions.find(({ number }) => number === version);
        if (!found) throw new Error(`No hay una version ${version}`);
        if (found.withdrawn) return { text: `La version ${version} ya estaba retirada` };
        await store.withdraw(last, version, operatorOf(process.env).actor).catch(explainChanged);
        const rest = versions.filter(({ number }) => number !== version);
        const now = inForceAt(rest, Date.now());
        const after = now ? `en vigor queda la ${now.number}` : 'no queda ninguna en vigor';
        return { text: `Version ${version} retirada; ${after}` };
      }),
    );
}

type QuoteOptions = Record<'account' | 'origin' | 'cp' | 'kg' | 'cm', string> & {
  declared: string;
  packages: number;
  type: string;
  version?: number;
};

function addQuote(program: Command, run: Run): void {
  program
    .command('quote')
    .description('el precio de un envio, con sus lineas')
    .requiredOption('--account <cuenta>', 'cuenta cuya lista y descuento cuentan')
    .requiredOption('--origin <sucursal>', 'sucursal de origen, o su codigo postal')
    .requiredOption('--cp <codigo>', 'codigo postal de destino')
    .requiredOption('--kg <peso>', 'peso de un paquete, como 2.5')
    .requiredOption('--cm <lados>', 'lados de un paquete, como 30,20,15')
    .option('--declared <pesos>', 'valor declarado', '0')
    .option(
      '--packages <n>',
      'cuantos paquetes iguales',
      (text) => parseInteger(text, 99, 'Los paquetes son un numero'),
      1,
    )
    .option('--type <tipo>', 'TipoEnvio', '')
    .option('--version <n>', 'con esta version; si falta, con la que esta en vigor', parseVersion)
    .action((options: QuoteOptions) =>
      run(async (mongo) => {
        const tariffs = await openTariffs(mongo);
        const version = options.version ?? inForceAt(tariffs.versions, Date.now())?.number;
        if (version === undefined) throw new Error(`No hay tarifa en vigor. Cargue una con ${NAME} import`);
        const tariff = await readTariff(await folderOf(tariffs, version), new TariffReport());
        if (!tariff) throw new Error(`La version ${version} no se puede leer`);
        const origin = await postalCodeOf(mongo, options.origin);
        const prices = SERVICE_TYPES.map((service) =>
          describePrice(tariff, options.account, parcelOf(options, origin, service)),
        );
        return { text: [`Version ${version}`, ...prices].join('\n') };
      }),
    );
}

/** Reads and checks a folder, completed by the version that is in force when it begins. */
async function checkFolder({ mongo, store, versions }: Tariffs, path: string, begins: Beginning) {
  const before = inForceAt(versions, begins.moment);
  const base = (before && (await store.folder(before.number))) ?? new Map();
  const changes = await readTariffFolder(path);
  const folder = withChanges(base, changes);
  const report = new TariffReport();
  const tariff = await readTariff(folder, report);
  const around = await readSurroundings(mongo, store, versions, begins);
  // Those of the version before were worked out with the prices of then.
  const examples = changes.has('ejemplos.csv') ? (tariff?.examples ?? []) : [];
  if (tariff) checkTariff({ ...tariff, examples }, around, report);
  return { folder, report, text: describeReport([...changes.keys()], report, around.inForce, tariff) };
}

function describeReport(
  files: readonly string[],
  { errors, warnings }: TariffReport,
  before: Tariff | undefined,
  after: Tariff | undefined,
): string {
  return [
    `Archivos: ${files.join(', ')}`,
    ...(errors.count > 0 ? [`Errores: ${errors.count}`, `${errors}`] : []),
    ...(warnings.count > 0 ? [`Avisos: ${warnings.count}`, `${warnings}`] : []),
    ...(errors.count === 0 && before && after ? [describeDifference(before, after)] : []),
  ].join('\n');
}

async function addVersion({ store, last }: Tariffs, folder: TariffFolder, from: number): Promise<number> {
  const version = { folder, from: new Date(from), by: operatorOf(process.env).actor };
  return store.add(last, version).catch(explainChanged);
}

function explainChanged(cause: unknown): never {
  if (!(cause instanceof DomainError && cause.code === 'tariffs-changed')) throw cause;
  throw new Error('Alguien cambio las tarifas mientras tanto: no se hizo nada, repita el comando', { cause });
}

async function folderOf({ store }: Tariffs, version: number): Promise<TariffFolder> {
  const folder = await store.folder(version);
  if (!folder) throw new Error(`No hay una version ${version}`);
  return folder;
}

/** When a version begins: in ms since 1970, its local date, and in words. */
type Beginning = { moment: number; date: string; text: string };

function beginningOf(day: string | undefined): Beginning {
  const { TIME_ZONE } = loadConfig(Type.Pick(ApiConfig, ['TIME_ZONE']), process.env);
  const localTime = localTimeFormatter(TIME_ZONE);
  const moment = day === undefined ? Date.now() : momentOf(localTime, `${day}T00:00:00`);
  if (moment < Date.now() - 1_000) throw new UsageError('--from debe ser un dia que no ha empezado');
  const text = localTime(new Date(moment));
  return { moment, date: text.slice(0, 10), text: `${text.replace('T', ' ')} (${TIME_ZONE})` };
}

function parseDate(text: string): string {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
  if (!isDate) throw new UsageError('La fecha debe ser como 2026-12-01');
  return text;
}

function parseVersion(text: string): number {
  return parseInteger(text, 999_999_999, 'La version es un numero');
}

function versionTable(versions: readonly TariffVersion[]): string {
  const now = inForceAt(versions, Date.now())?.number;
  const rows = versions
    .toReversed()
    .map(({ number, from, at, by, withdrawn }) => [
      `${number}`,
      new Date(from).toISOString().slice(0, 16),
      withdrawn ? 'retirada' : number === now ? 'en vigor' : from > Date.now() ? 'futura' : '',
      at.toISOString().slice(0, 16),
      by,
    ]);
  return aligned([['version', 'desde (UTC)', 'estado', 'cargada (UTC)', 'por'], ...rows]);
}

/** Returns the postal code of a branch, or the postal code itself. */
async function postalCodeOf(mongo: Connection, origin: string): Promise<string> {
  if (/^\d{5}$/.test(origin)) return origin;
  const { branches } = await new BranchStore(mongo).snapshot();
  const branch = branches.find(({ Codigo }) => Codigo === branchCode(origin));
  if (!branch) throw new Error('No hay una sucursal con ese codigo');
  return branch.CodigoPostal;
}

function parcelOf(options: QuoteOptions, origin: string, service: Parcel['service']): Parcel {
  const sides = options.cm.split(',').map((side) => toUnits(parseMeasure(side), 10));
  const [one = 0, two = 0, three = 0] = sides.sort((a, b) => a - b);
  if (sides.length !== 3) throw new UsageError('--cm son tres lados, como 30,20,15');
  if (!/^\d{5}$/.test(options.cp)) throw new UsageError('--cp debe tener 5 digitos');
  return {
    ...{ origin, destination: options.cp, service, type: options.type, packages: options.packages },
    grams: toUnits(parseMeasure(options.kg), 1_000),
    sides: [one, two, three],
    declared: toCentavos(parseMeasure(options.declared)),
  };
}

function parseMeasure(text: string): number {
  const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw new UsageError('Los pesos, lados y valores son numeros como 2.5');
  return value;
}

function describePrice(tariff: Tariff, account: string, parcel: Parcel): string {
  const price = priceParcel(tariff, account, parcel);
  if ('reason' in price) return `\n${parcel.service}: ${describeNoPrice(price)}`;
  const { list, zone, lines, total, billedGrams, volumetricGrams, minDays, maxDays } = price;
  const rows = [...lines, { concept: 'total', amount: total }].map((line) => [
    line.concept,
    formatPesos(line.amount).padStart(12),
    'concept' in line && line.concept === 'total'
      ? ''
      : describeLine(line as (typeof lines)[number], zone, parcel.packages),
  ]);
  const weights = `cobra ${formatKilograms(billedGrams)} (volumetrico ${formatKilograms(volumetricGrams)})`;
  return `\n${parcel.service}: lista ${list}, zona ${zone}, ${weights}, ${minDays} a ${maxDays} dias habiles\n${aligned(rows)}`;
}
