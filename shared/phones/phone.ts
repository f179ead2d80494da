/**
 * Guides keep the digits of phones as they were sent, and people write one phone in many ways. A Mexican number has ten digits.
 * Until 2019 prefixes stood before these: 01 for long distance, 044 and 045 for mobiles, and a 1 after the country's code
 * (Plan Técnico Fundamental de Numeración). Address books still have them.
 */
const NATIONAL = /^(?:521?|01|044|045)?(\d{10})$/;
const COUNTRY = '52';
/** Mexico City, Guadalajara and Monterrey. Other area codes have three digits. */
const SHORT_AREA = /^(?:55|56|33|81)/;

/** Returns the digits of a phone, of a Mexican one without prefixes: the same for each way to write it. */
export function phoneDigits(phone: string): string {
  const digits = allDigits(phone);
  return NATIONAL.exec(digits)?.[1] ?? digits;
}

/** Returns a phone as people read and dial it, such as `55 1234 5678`, `662 123 4567` and `+14155550123`. */
export function phoneText(phone: string): string {
  const digits = phoneDigits(phone);
  if (digits.length !== 10) return digits.length > 10 ? `+${digits}` : digits;
  return digits.replace(SHORT_AREA.test(digits) ? /(..)(....)/ : /(...)(...)/, '$1 $2 ');
}

/** Returns the address of a link that calls a phone (RFC 3966). Numbers of less than ten digits are local. */
export function phoneHref(phone: string): string {
  const digits = phoneDigits(phone);
  const isForeign = phone.startsWith('+') && digits === allDigits(phone);
  if (isForeign || digits.length > 10) return `tel:+${digits}`;
  return digits.length === 10 ? `tel:+${COUNTRY}${digits}` : `tel:${digits}`;
}

function allDigits(phone: string): string {
  return phone.replace(/\D/g, '');
}
