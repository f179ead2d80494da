import { describe, expect, it } from 'vitest';
import { Admission } from '#services/api/labels/admission.ts';

/** An admission with a deadline of 10 s at whose printers so many pages a second came out lately. */
function busy(perSecond: number, waiting: Record<string, number> = {}): Admission {
  let now = 0;
  const admission = new Admission(10_000, () => now);
  for (let page = 0; page < 10 * perSecond; page++) {
    now += 1_000 / perSecond;
    admission.finished(1);
  }
  for (const [account, pages] of Object.entries(waiting)) admission.enter(account, pages);
  return admission;
}

describe('a label that is requested while others of its account wait', () => {
  it('is admitted while it can be printed within four fifths of the timeout', () => {
    expect(busy(100, { one: 790 }).retryAfterSeconds('one')).toBe(0);
    expect(busy(400, { one: 3_100 }).retryAfterSeconds('one')).toBe(0);
  });

  it('is refused at once otherwise, with the time after which it can be printed', () => {
    expect(busy(100, { one: 850 }).retryAfterSeconds('one')).toBe(1);
    expect(busy(100, { one: 1_200 }).retryAfterSeconds('one')).toBe(4);
  });

  it('is admitted behind a few pages however slow the printers are', () => {
    expect(busy(1, { one: 99 }).retryAfterSeconds('one')).toBe(0);
    expect(busy(1, { one: 100 }).retryAfterSeconds('one')).toBeGreaterThan(0);
  });

  it('is admitted up to a bound while the speed of the printers is unknown', () => {
    const idle = new Admission(10_000);
    for (let label = 0; label < 5_000; label++) {
      expect(idle.retryAfterSeconds('one')).toBe(0);
      idle.enter('one', 1);
    }
    expect(idle.retryAfterSeconds('one')).toBe(1);
    idle.leave('one', 1);
    expect(idle.retryAfterSeconds('one')).toBe(0);
  });
});

describe('a label that is requested while those of other accounts wait', () => {
  it('is admitted however many another account has', () => {
    expect(busy(1, { greedy: 3_000 }).retryAfterSeconds('modest')).toBe(0);
    expect(busy(1, { greedy: 3_000, modest: 40 }).retryAfterSeconds('modest')).toBe(0);
  });

  it('is refused where many accounts have as much as its own', () => {
    expect(busy(10, { one: 50, two: 50, three: 900 }).retryAfterSeconds('one')).toBe(7);
  });
});
