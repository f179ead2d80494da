import { branchCode } from '#shared/branches/branch.ts';
import { formatPercent, formatPesos } from '../../platform/amounts.ts';
import { addDays } from './delivery-days.ts';
import type { PostalRanges } from './postal-ranges.ts';
import { describeLine, describeNoPrice, priceParcel } from './price.ts';
import { PUBLIC_LIST, priceKey, priceName, routeKey, type Tariff } from './tariff.ts';
import type { TariffReport } from './tariff-report.ts';

/** What a tariff is checked against: the installation as it is now. */
export type Surroundings = {
  /** The tariff that is in force when the checked one begins. */
  inForce: Tariff | undefined;
  /** Versions that begin later, and would end what the checked one changes. */
  laterVersions: readonly number[];
  /** Postal code by branch code, of branches where guides may start. */
  origins: ReadonlyMap<string, string>;
  coveredPostalCodes: readonly string[];
  accounts: ReadonlySet<string>;
  /** Local date on which the tariff begins. */
  from: string;
};

/** The least percentage that is not taken for a fraction, as 0.16 for 16, in hundredths of a percent. */
const LEAST_PERCENTAGE = 100;
/** A new contract's discount from which a digit is probably too many, in hundredths of a percent. */
const LARGE_DISCOUNT = 5_000;
/** Days for which the list of holidays should be known. */
const HOLIDAYS_DAYS = 60;
/** Most surcharges: a quote's token holds each that applies, and must fit into a guide (`MAX_QUOTE_LENGTH`). */
export const MAX_SURCHARGES = 20;
/** Most postal codes that a warning names. */
const MAX_NAMED = 5;

/** Checks what the cells say together. Errors mean that the tariff cannot price; warnings, that it may not be meant so. */
export function checkTariff(tariff: Tariff, around: Surroundings, report: TariffReport): void {
  checkRanges(tariff, report);
  checkRoutes(tariff, report);
  checkPrices(tariff, report);
  checkNames(tariff, report);
  checkSurcharges(tariff, report);
  warnOfPrices(tariff, report);
  warnOfPercentages(tariff, report);
  warnOfPlaces(tariff, around, report);
  warnOfContracts(tariff, around, report);
  warnOfTime(tariff, around, report);
  // An example's total says something only of a tariff that is whole.
  if (report.errors.count === 0) checkExamples(tariff, around, report);
}

function checkRanges({ groups, areas }: Tariff, report: TariffReport): void {
  const add = (file: 'zonas.csv' | 'areas.csv', ranges: PostalRanges) => {
    for (const [range, other] of ranges.overlaps()) {
      const value = `${range.from}-${range.to}`;
      const reason = `se encima con la linea ${other.line}, ${other.from}-${other.to}`;
      report.error(file, { line: range.line, value, reason });
    }
  };
  add('zonas.csv', groups);
  for (const ranges of areas.values()) add('areas.csv', ranges);
}

function checkRoutes({ groups, routes }: Tariff, report: TariffReport): void {
  const names = new Set(groups.ranges.map(({ name }) => name));
  for (const { from, to, line } of routes.values()) {
    for (const [column, value] of [['Origen', from] as const, ['Destino', to] as const]) {
      if (!names.has(value))
        report.error('rutas.csv', { line, column, value, reason: 'no es un grupo de zonas.csv' });
    }
  }
  for (const from of names) {
    for (const to of names) {
      if (routes.has(routeKey(from, to))) continue;
      report.error('rutas.csv', { value: `${from} a ${to}`, reason: 'falta la fila de estos dos grupos' });
    }
  }
}

function checkPrices({ prices, routes, parameters }: Tariff, report: TariffReport): void {
  const zones = new Set([...routes.values()].map(({ zone }) => zone));
  const named = new Map(
    [...prices.values()].map((own) => [priceKey(own.list, own.service, own.type, ''), own]),
  );
  for (const { list, service, type } of named.values()) {
    for (const zone of zones) {
      if (prices.has(priceKey(list, service, type, zone)) || prices.has(priceKey(list, service, '', zone)))
        continue;
      const value = priceName({ list, service, type, zone });
      report.error('precios.csv', { value, reason: 'falta su precio' });
    }
  }
  for (const { zone, breaks } of prices.values()) {
    const last = breaks.at(-1);
    if (!last) continue;
    if (!zones.has(zone)) {
      report.error('precios.csv', {
        line: last.line,
        column: 'Zona',
        value: zone,
        reason: 'no esta en rutas.csv',
      });
    }
    for (const { extra, line } of breaks.slice(0, -1)) {
      if (extra !== undefined)
        report.error('precios.csv', { line, column: 'KgExtra', reason: 'solo va en el ultimo HastaKg' });
    }
    if (last.extra === undefined && last.upToGrams < parameters.maxGrams) {
      const reason = `es el ultimo y queda abajo de MaximoKg, ${parameters.maxGrams / 1_000}: ponga KgExtra`;
      report.error('precios.csv', {
        line: last.line,
        column: 'HastaKg',
        value: `${last.upToGrams / 1_000}`,
        reason,
      });
    }
  }
}

function checkNames({ prices, contracts, surcharges, areas }: Tariff, report: TariffReport): void {
  const lists = new Set([...prices.values()].map(({ list }) => list));
  if (!lists.has(PUBLIC_LIST)) {
    report.error('precios.csv', {
      column: 'Lista',
      value: PUBLIC_LIST,
      reason: 'falta esta lista, la de las cuentas sin contrato',
    });
  }
  for (const { list, line } of contracts.values()) {
    if (!lists.has(list)) {
      report.error('contratos.csv', { line, column: 'Lista', value: list, reason: 'no esta en precios.csv' });
    }
  }
  for (const { applies, line } of surcharges) {
    if (applies !== 'siempre' && 'area' in applies && !areas.has(applies.area)) {
      report.error('recargos.csv', {
        line,
        column: 'Aplica',
        value: applies.area,
        reason: 'no es un area de areas.csv',
      });
    }
  }
}

function checkSurcharges({ surcharges }: Tariff, report: TariffReport): void {
  for (const { name, amount, percentage, minimum, days, line } of surcharges) {
    if (amount + percentage + minimum + days === 0) {
      report.error('recargos.csv', {
        line,
        value: name,
        reason: 'no cobra ni alarga nada: ponga Importe, Porcentaje, Minimo o Dias',
      });
    }
    if (/^(flete|descuento|iva)$/.test(name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase())) {
      report.error('recargos.csv', {
        line,
        column: 'Concepto',
        value: name,
        reason: 'es el nombre de otra linea del precio',
      });
    }
  }
  for (const { name, line } of surcharges.slice(MAX_SURCHARGES)) {
    report.error('recargos.csv', { line, value: name, reason: `son mas de ${MAX_SURCHARGES} recargos` });
  }
}

function warnOfPrices({ prices }: Tariff, report: TariffReport): void {
  for (const { breaks } of prices.values()) {
    for (const [index, { price, line }] of breaks.entries()) {
      const lighter = breaks[index - 1];
      if (!lighter || price >= lighter.price) continue;
      const reason = `es menor que el de menos peso, ${formatPesos(lighter.price)} en la linea ${lighter.line}`;
      report.warn('precios.csv', { line, column: 'Precio', value: formatPesos(price), reason });
    }
  }
}

function warnOfPercentages({ parameters, surcharges, contracts }: Tariff, report: TariffReport): void {
  const reason = (percentage: number) => `es menos de 1 %: ¿quiso decir ${percentage} %?`;
  const isFraction = (percentage: number) => percentage > 0 && percentage < LEAST_PERCENTAGE;
  for (const [column, percentage] of [
    ['IVA', parameters.vat] as const,
    ['IVAFrontera', parameters.borderVat] as const,
  ]) {
    if (isFraction(percentage)) report.warn('parametros.csv', { column, reason: reason(percentage) });
  }
  for (const { percentage, line } of surcharges) {
    if (isFraction(percentage))
      report.warn('recargos.csv', { line, column: 'Porcentaje', reason: reason(percentage) });
  }
  for (const { discount, line } of contracts.values()) {
    if (isFraction(discount))
      report.warn('contratos.csv', { line, column: 'Descuento', reason: reason(discount) });
  }
}

function warnOfPlaces(
  { groups }: Tariff,
  { origins, coveredPostalCodes }: Surroundings,
  report: TariffReport,
): void {
  const without = coveredPostalCodes.filter((code) => groups.nameOf(code) === undefined);
  if (without.length > 0) {
    const named = without.slice(0, MAX_NAMED).join(', ');
    const rest = without.length > MAX_NAMED ? ` y ${without.length - MAX_NAMED} mas` : '';
    report.warn('zonas.csv', { reason: `codigos postales con cobertura y sin grupo: ${named}${rest}` });
  }
  for (const [code, postalCode] of origins) {
    if (groups.nameOf(postalCode) !== undefined) continue;
    report.warn('zonas.csv', {
      value: postalCode,
      reason: `no tiene grupo y es el de la sucursal de origen ${code}`,
    });
  }
}

function warnOfContracts(
  { contracts }: Tariff,
  { accounts, inForce }: Surroundings,
  report: TariffReport,
): void {
  for (const [account, { discount, line }] of contracts) {
    if (discount >= LARGE_DISCOUNT && !inForce?.contracts.has(account)) {
      report.warn('contratos.csv', {
        line,
        column: 'Descuento',
        value: formatPercent(discount),
        reason: 'quita la mitad del flete o mas',
      });
    }
    if (!accounts.has(account)) {
      report.warn('contratos.csv', {
        line,
        column: 'Cuenta',
        value: account,
        reason: 'ninguna cuenta se llama asi',
      });
    }
  }
}

function warnOfTime({ holidays }: Tariff, { from, laterVersions }: Surroundings, report: TariffReport): void {
  const last = [...holidays.keys()].sort().at(-1);
  if (last !== undefined && last < addDays(from, HOLIDAYS_DAYS)) {
    report.warn('inhabiles.csv', {
      value: last,
      reason: 'es la ultima fecha: faltan las de los meses que siguen',
    });
  }
  for (const version of laterVersions) {
    const reason = `la version ${version} entra despues y no tiene estos cambios: cargue tambien esa otra vez`;
    report.warn('parametros.csv', { reason });
  }
}

function checkExamples(tariff: Tariff, { origins }: Surroundings, report: TariffReport): void {
  for (const { account, parcel, total, line } of tariff.examples) {
    const origin = origins.get(branchCode(parcel.origin)) ?? parcel.origin;
    const price = priceParcel(tariff, account, { ...parcel, origin });
    if ('reason' in price) {
      report.error('ejemplos.csv', { line, reason: `no tiene precio: ${describeNoPrice(price)}` });
    } else if (price.total !== total) {
      const lines = price.lines.map(
        (own) =>
          `${own.concept} ${formatPesos(own.amount)} (${describeLine(own, price.zone, parcel.packages)})`,
      );
      const reason = `la tarifa da ${formatPesos(price.total)}: ${lines.join(', ')}`;
      report.error('ejemplos.csv', { line, column: 'Total', value: formatPesos(total), reason });
    }
  }
}
