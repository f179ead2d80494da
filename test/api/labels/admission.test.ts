import { describe, expect, it } from 'vitest';
import { Admission } from '#services/api/labels/admission.ts';

/** An admission with a deadline of 10 s at whose printers so many labels a second came out lately. */
function busy(perSecond: number): Admission {
  let now = 0;
  const admission = new Admission(10_000, () => now);
  for (let label = 0; label < 10 * perSecond; label++) {
    now += 1_000 / perSecond;
    admission.finished();
  }
  return admission;
}

describe('a label that is requested while others wait', () => {
  it('is admitted while it can be printed within four fifths of the timeout', () => {
    expect(busy(100).retryAfterSeconds(790)).toBe(0);
    expect(busy(400).retryAfterSeconds(3_100)).toBe(0);
  });

  it('is refused at once otherwise, with the time after which it can be printed', () => {
    expect(busy(100).retryAfterSeconds(850)).toBe(1);
    expect(busy(100).retryAfterSeconds(1_200)).toBe(4);
  });

  it('is admitted behind a few labels however slow the printers are', () => {
    expect(busy(1).retryAfterSeconds(99)).toBe(0);
    expect(busy(1).retryAfterSeconds(100)).toBeGreaterThan(0);
  });

  it('is admitted up to a bound while the speed of the printers is unknown', () => {
    const idle = new Admission(10_000);
    expect(idle.retryAfterSeconds(4_999)).toBe(0);
    expect(idle.retryAfterSeconds(5_000)).toBe(1);
  });
});
