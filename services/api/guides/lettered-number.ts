import { randomInt } from 'node:crypto';
import { checkDigit } from './guide-number.ts';

/**
 * Returns what generates and knows the numbers of one kind: a letter, ten random digits, and the check digit of guides' numbers.
 * Only for a test account the first digit is 0.
 *
 * @param pattern of such a number: `^`, the letter, and `[0-9]{11}$`.
 */
export function letteredNumbers(pattern: string) {
  const form = new RegExp(pattern);
  return {
    generate(isTest = false): string {
      const digits = isTest
        ? String(randomInt(10 ** 9)).padStart(10, '0')
        : String(randomInt(10 ** 9, 10 ** 10));
      return `${pattern.charAt(1)}${digits}${checkDigit(digits)}`;
    },
    /** Returns whether a text is such a number, check digit included. */
    has: (text: string) => form.test(text) && checkDigit(text.slice(1, -1)) === text.at(-1),
  };
}
