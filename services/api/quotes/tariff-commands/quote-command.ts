import type { Command } from 'commander';
import type { Connection } from 'mongoose';
import { UserStore } from '#shared/accounts/user-store.ts';
import { branchCode } from '#shared/branches/branch.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { POSTAL_CODE_FORM } from '#shared/branches/postal-code.ts';
import { type Run, UsageError } from '#shared/commands/run-command-line.ts';
import { aligned } from '#shared/commands/terminal.ts';
import { SERVICE_TYPES } from '#shared/guides/guide.ts';
import type { Parcel } from '#shared/guides/guide-price.ts';
import { parseInteger } from '../../accounts/commands/command-line.ts';
import { formatKilograms, formatPesos, toCentavos, toUnits } from '../../platform/amounts.ts';
import { describeLine, describeNoPrice, priceParcel } from '../tariffs/price.ts';
import { readTariff } from '../tariffs/read-tariff.ts';
import { PUBLIC_LIST, type Tariff } from '../tariffs/tariff.ts';
import { TariffReport } from '../tariffs/tariff-report.ts';
import { inForceAt } from '../tariffs/tariff-versions.ts';
import { filesOf, noVersion, readStoredTariffs, type StoredTariffs } from './stored-tariffs.ts';
import { parseVersion } from './version-commands.ts';

type QuoteOptions = Partial<Record<'account' | 'origin' | 'cp' | 'kg' | 'cm' | 'type', string>> & {
  declared: string;
  cod: string;
  packages: number;
  version?: number;
};

/** Adds the command `quote`. */
export function addQuoteCommand(program: Command, run: Run): void {
  program
    .command('quote')
    .description('el precio de un envio con cada servicio, y sus lineas; no da una cotizacion que obligue')
    .option('--origin <lugar>', 'sucursal de origen, o su codigo postal (obligatoria)')
    .option('--cp <codigo>', 'codigo postal de destino; si se recoge, el de la sucursal (obligatoria)')
    .option('--kg <peso>', 'peso de un paquete, como 2.5 (obligatoria)')
    .option('--cm <lados>', 'lados de un paquete, como 30,20,15 (obligatoria)')
    .option('--account <cuenta>', `cuenta cuya lista y descuento cuentan; si falta, la lista ${PUBLIC_LIST}`)
    .option('--declared <pesos>', 'valor declarado de la guia', '0')
    .option('--cod <pesos>', 'lo que se cobra al entregar', '0')
    .option(
      '--packages <n>',
      'cuantos paquetes iguales',
      (text) => parseInteger(text, 99, 'Los paquetes son un numero'),
      1,
    )
    .option('--type <tipo>', 'TipoEnvio de la guia')
    .option(
      '--version <n>',
      'con esta version, tambien futura; si falta, con la que esta en vigor',
      parseVersion,
    )
    .action((options: QuoteOptions) => {
      const parcel = parcelOf(options);
      const { account = '' } = options;
      return run(async (mongo) => {
        const stored = await readStoredTariffs(mongo);
        const { tariff, title } = await tariffOf(stored, options.version);
        const origin = await postalCodeOf(mongo, parcel.origin);
        await requireAccount(mongo, account);
        const prices = SERVICE_TYPES.map((service) =>
          describePrice(tariff, account, { ...parcel, origin, service }),
        );
        return { text: [title, ...prices].join('\n') };
      });
    });
}

/** Returns a version of the tariff, or the one in force, and what the answer begins with. */
async function tariffOf(
  stored: StoredTariffs,
  wanted: number | undefined,
): Promise<{ tariff: Tariff; title: string }> {
  const inForce = inForceAt(stored.versions, stored.now);
  const version = wanted === undefined ? inForce : stored.versions.find(({ number }) => number === wanted);
  if (!version) {
    throw wanted === undefined
      ? new Error('No hay una tarifa en vigor: cargue una con import')
      : noVersion(wanted);
  }
  const tariff = await readTariff(await filesOf(stored, version.number), new TariffReport());
  if (!tariff) throw new Error(`La version ${version.number} no se puede leer`);
  const state = version === inForce ? 'en vigor' : version.withdrawn ? 'retirada' : 'no esta en vigor';
  return { tariff, title: `Version ${version.number}, ${state}` };
}

/** Returns the postal code of a branch, or the postal code itself. */
async function postalCodeOf(mongo: Connection, origin: string): Promise<string> {
  if (POSTAL_CODE_FORM.test(origin)) return origin;
  const { branches } = await new BranchStore(mongo).snapshot();
  const branch = branches.find(({ Codigo }) => Codigo === branchCode(origin));
  if (!branch) throw new Error('--origin: no hay una sucursal con ese codigo');
  return branch.CodigoPostal;
}

/** @throws Error for a name that no account has: its price would be that of the public list. */
async function requireAccount(mongo: Connection, account: string): Promise<void> {
  if (account !== '' && !(await new UserStore(mongo).hasAccount(account))) {
    throw new Error('--account: ninguna cuenta se llama asi');
  }
}

/** Returns what was typed as a parcel, whose origin may still be the code of a branch. @throws UsageError */
function parcelOf(options: QuoteOptions): Omit<Parcel, 'service'> {
  const [origin, cp, kg, cm] = (['origin', 'cp', 'kg', 'cm'] as const).map((name) => {
    const value = options[name];
    // Commander's own check would not say which one.
    if (value === undefined) throw new UsageError(`Falta --${name}. Vea quote --help`);
    return value;
  }) as [string, string, string, string];
  if (!POSTAL_CODE_FORM.test(cp)) throw new UsageError('--cp debe tener 5 digitos');
  const typed = cm.split(',');
  if (typed.length !== 3) throw new UsageError('--cm lleva tres lados, como 30,20,15');
  const sides = typed.map((side) => toUnits(parseMeasure('--cm', side), 10));
  const [one = 0, two = 0, three = 0] = sides.sort((a, b) => a - b);
  return {
    ...{ origin, destination: cp, type: options.type ?? '', packages: options.packages },
    grams: toUnits(parseMeasure('--kg', kg), 1_000),
    sides: [one, two, three],
    declared: toCentavos(parseNumber('--declared', options.declared)),
    cod: toCentavos(parseNumber('--cod', options.cod)),
  };
}

/** Parses a weight or a side, which 0 is not. */
function parseMeasure(option: string, text: string): number {
  const value = parseNumber(option, text);
  if (value === 0) throw new UsageError(`${option} debe ser mayor que 0`);
  return value;
}

function parseNumber(option: string, text: string): number {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text)) throw new UsageError(`${option} lleva numeros como 2.5`);
  return Number(text);
}

function describePrice(tariff: Tariff, account: string, parcel: Parcel): string {
  const price = priceParcel(tariff, account, parcel);
  if ('reason' in price) return `\n${parcel.service}: ${describeNoPrice(price)}`;
  const { list, zone, lines, total, billedGrams, volumetricGrams, minDays, maxDays } = price;
  const row = (name: string, amount: number, how: string) => [name, formatPesos(amount).padStart(12), how];
  const rows = [
    ...lines.map((line) => row(line.concept, line.amount, describeLine(line, zone, parcel.packages))),
    row('total', total, ''),
  ];
  const weights = `cobra ${formatKilograms(billedGrams)} (volumetrico ${formatKilograms(volumetricGrams)})`;
  return `\n${parcel.service}: lista ${list}, zona ${zone}, ${weights}, ${minDays} a ${maxDays} dias habiles\n${aligned(rows)}`;
}
