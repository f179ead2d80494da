import { randomInt } from 'node:crypto';
import { MANIFEST_NUMBER } from '#shared/manifests/manifest.ts';
import { checkDigit } from '../guides/guide-number.ts';

const FORM = new RegExp(MANIFEST_NUMBER);

/** Generates a manifest's number: `M`, ten random digits and a check digit. Only for a test account the first digit is 0. */
export function generateManifestNumber(isTest: boolean): string {
  const digits = isTest ? String(randomInt(10 ** 9)).padStart(10, '0') : String(randomInt(10 ** 9, 10 ** 10));
  return `M${digits}${checkDigit(digits)}`;
}

/** Returns whether a text is a manifest's number, check digit included. */
export function isManifestNumber(text: string): boolean {
  return FORM.test(text) && checkDigit(text.slice(1, -1)) === text.at(-1);
}
