import { describe, expect, it } from 'vitest';
import { generateGuideNumber, isGuideNumber } from '#services/api/guides/guide-number.ts';

describe('a guide number', () => {
  it('has twelve digits, the first not 0, the last a check digit', () => {
    for (let draw = 0; draw < 1_000; draw++) {
      const number = generateGuideNumber();
      expect(number).toMatch(/^[1-9][0-9]{11}$/);
      expect(isGuideNumber(number)).toBe(true);
    }
  });

  it('has the check digit of ISO 7064 MOD 11,10', () => {
    // The standard's own example: 0794 has the check digit 5.
    expect(isGuideNumber(`10000000000${checkDigitByHand('10000000000')}`)).toBe(true);
    expect(checkDigitByHand('0794')).toBe(5);
  });

  it('is refused with any one digit changed', () => {
    const number = generateGuideNumber();
    for (let place = 0; place < number.length; place++) {
      for (const digit of '0123456789') {
        const changed = number.slice(0, place) + digit + number.slice(place + 1);
        expect(isGuideNumber(changed)).toBe(changed === number);
      }
    }
  });

  it.each([
    [''],
    ['12345678901'],
    ['1234567890123'],
    ['12345678901a'],
    ['１２３４５６７８９０１２'],
    [' 123456789012'],
  ])('is not %j', (text) => {
    expect(isGuideNumber(text)).toBe(false);
  });
});

/** The standard's procedure, in its own words: P = 10; for each digit P = 2 × (P + digit mod 10, or 10) mod 11; then P + check = 1 mod 10. */
function checkDigitByHand(digits: string): number {
  let product = 10;
  for (const digit of digits) product = (2 * ((product + Number(digit)) % 10 || 10)) % 11;
  return (21 - product) % 10;
}
