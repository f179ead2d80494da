/** Sums of money as integers of centavos, and the percentages and measures that make them. */

/** Percentages are in hundredths of a percent. */
export const WHOLE = 10_000;

/** Returns a percentage of an amount in centavos, rounded half up. Neither is negative. */
export function percentOf(amount: number, percentage: number): number {
  const scaled = amount * percentage + WHOLE / 2;
  return (scaled - (scaled % WHOLE)) / WHOLE;
}

/**
 * Converts a decimal number to its smallest unit, rounded up: 30.1 cm to 301 mm. Decimals beyond the sixth do not count, but
 * what is greater than 0 is at least one unit.
 */
export function toUnits(value: number, unitsPerOne: number): number {
  const units = Math.ceil(Math.round(value * 1e6) / (1e6 / unitsPerOne));
  return value > 0 ? Math.max(units, 1) : units;
}

/** Converts pesos with at most two decimals to centavos. */
export function toCentavos(pesos: number): number {
  return Math.round(pesos * 100);
}

/** Converts centavos to pesos, as the wire and MongoDB have them. */
export function toPesos(centavos: number): number {
  return centavos / 100;
}

const PESOS = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });

/** Writes pesos for people, as `$1,500.00`. */
export function pesosText(pesos: number): string {
  return PESOS.format(pesos);
}

/** Writes centavos as `1500.00`. */
export function formatPesos(centavos: number): string {
  return toPesos(centavos).toFixed(2);
}

/** Writes a percentage as `11.5 %`. */
export function formatPercent(percentage: number): string {
  return `${percentage / 100} %`;
}

/** Writes grams as `2.5 kg`. */
export function formatKilograms(grams: number): string {
  return `${grams / 1_000} kg`;
}

/** Writes millimetres as `30.1 cm`. */
export function formatCentimetres(millimetres: number): string {
  return `${millimetres / 10} cm`;
}
