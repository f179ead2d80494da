import { randomInt } from 'node:crypto';
import { PICKUP_NUMBER } from '#shared/pickups/pickup.ts';
import { checkDigit } from '../guides/guide-number.ts';

const FORM = new RegExp(PICKUP_NUMBER);

/** Generates a pick-up's number: `R`, ten random digits and a check digit. Only for a test account the first digit is 0. */
export function generatePickupNumber(isTest: boolean): string {
  const digits = isTest ? String(randomInt(10 ** 9)).padStart(10, '0') : String(randomInt(10 ** 9, 10 ** 10));
  return `R${digits}${checkDigit(digits)}`;
}

/** Returns whether a text is a pick-up's number, check digit included. */
export function isPickupNumber(text: string): boolean {
  return FORM.test(text) && checkDigit(text.slice(1, -1)) === text.at(-1);
}
