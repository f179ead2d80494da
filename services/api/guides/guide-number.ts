import { randomInt } from 'node:crypto';
import { hasGuideNumberForm } from '#shared/guides/guide.ts';

/**
 * Generates a guide number: eleven random digits and a check digit (docs/contract.md "Guides"). The first digit is 0 for
 * a test account alone. Being random, a number reveals nothing of the volume, and nobody can enumerate them.
 */
export function generateGuideNumber(isTest = false): string {
  const digits = isTest
    ? String(randomInt(10 ** 10)).padStart(11, '0')
    : String(randomInt(10 ** 10, 10 ** 11));
  return digits + checkDigit(digits);
}

export function generateGuideNumbers(count: number, isTest = false): string[] {
  const numbers = new Set<string>();
  while (numbers.size < count) numbers.add(generateGuideNumber(isTest));
  return [...numbers];
}

/** Returns whether a text is a guide number, check digit included: every single wrong digit is found. */
export function isGuideNumber(text: string): boolean {
  return hasGuideNumberForm(text) && checkDigit(text.slice(0, -1)) === text.at(-1);
}

/** Computes the check digit of ISO/IEC 7064, hybrid system MOD 11,10. */
export function checkDigit(digits: string): string {
  let product = 10;
  for (const digit of digits) {
    const sum = (product + Number(digit)) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return String((11 - product) % 10);
}
