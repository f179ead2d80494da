/** Texts that labels and the documents of rooms show in the same form. */

/**
 * A label of a test account says in one line, left and right of a code, or across the recipient, that nobody may send the
 * parcel.
 */
const TEST_BAND = { band: 'PRUEBA · NO ENVIAR', left: 'PRUEBA', right: 'NO ENVIAR', across: 'PRUEBA' };
const NO_BAND = { band: undefined, left: undefined, right: undefined, across: undefined };
/** What a table has in place of an absent value. */
export const NONE = '—';
const decimal = new Intl.NumberFormat('es-MX', { maximumFractionDigits: 3 });
/** A smaller measure would be shown as 0. */
const LEAST = 0.001;

export function testBand(isTest: boolean) {
  return isTest ? TEST_BAND : NO_BAND;
}

/** @param createdAt as `YYYY-MM-DDTHH:mm:ss`. */
export function dateText(createdAt: string): string {
  const [date = '', time = ''] = createdAt.split('T');
  return `${date.split('-').reverse().join('/')} ${time.slice(0, 5)}`;
}

export function measureText(value: number): string {
  return decimal.format(Math.max(value, LEAST));
}
