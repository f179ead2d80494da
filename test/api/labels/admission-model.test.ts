import { describe, expect, test } from 'vitest';
import { Admission, type Asked, placeInLine } from '#services/api/labels/admission.ts';
import { LABEL_TIMEOUT_MS } from '#shared/printing/label-job.ts';

/**
 * What is admitted and what is refused, beside printers of a known speed. Time is a number, and passes in steps of 10 ms:
 * in each step labels are asked for, and the first in the line are printed.
 */

const STEP_MS = 10;
/** Labels of one print: they are finished at one moment. */
const BATCH = 25;

type Waiting = { place: number; since: number; leave: () => void };
type Outcome = { asked: number; refused: number; late: number; waitsMs: number[] };

/** Printers that print so many labels a second, all of one page, and the admission of the one api process before them. */
class Printers {
  ms = 0;
  readonly admission = new Admission(() => this.ms);
  readonly outcomes = new Map<string, Outcome>();
  perSecond: number;
  /** In the order of their places. */
  #line: (Waiting & { outcome: Outcome })[] = [];
  #printable = 0;
  #labels = 0;

  constructor(perSecond: number) {
    this.perSecond = perSecond;
  }

  of(account: string): Outcome {
    const outcome = this.outcomes.get(account) ?? { asked: 0, refused: 0, late: 0, waitsMs: [] };
    this.outcomes.set(account, outcome);
    return outcome;
  }

  /** Asks for another label. Returns the code of its refusal, or what gives it up. */
  ask(account: string, maxPages = 300, asked?: Asked): string | (() => void) {
    const outcome = this.of(account);
    outcome.asked++;
    const place = placeInLine(this.admission.pagesOf(account), false, this.ms);
    try {
      const leave = this.admission.enter({ account, key: `${++this.#labels}`, pages: 1, maxPages, asked });
      const before = this.#line.findLastIndex((other) => other.place <= place);
      this.#line.splice(before + 1, 0, { place, since: this.ms, leave, outcome });
      return leave;
    } catch (error) {
      outcome.refused++;
      return (error as { code: string }).code;
    }
  }

  /** Lets time pass. @param asking of each step, which asks for labels. */
  pass(ms: number, asking = () => {}): void {
    for (const end = this.ms + ms; this.ms < end; ) {
      this.ms += STEP_MS;
      asking();
      this.#endLate();
      this.#printable += (this.perSecond * STEP_MS) / 1_000;
      if (this.#line.length === 0) this.#printable = Math.min(this.#printable, BATCH);
      // Without a full batch in the line, a free printer takes what there is.
      while (this.#line.length > 0 && this.#printable >= Math.min(BATCH, this.#line.length)) this.#print();
    }
  }

  #endLate(): void {
    const isLate = ({ since }: Waiting) => this.ms - since > LABEL_TIMEOUT_MS;
    for (const { leave, outcome } of this.#line.filter(isLate)) {
      outcome.late++;
      leave();
    }
    this.#line = this.#line.filter((label) => !isLate(label));
  }

  #print(): void {
    const batch = this.#line.splice(0, Math.min(BATCH, Math.floor(this.#printable)));
    this.#printable -= batch.length;
    for (const { since, leave, outcome } of batch) {
      outcome.waitsMs.push(this.ms - since);
      this.admission.finished(1);
      leave();
    }
  }
}

/** Returns what asks for so many labels a second, of accounts in turn. */
function atRate(printers: Printers, perSecond: number, accounts: readonly string[], maxPages?: number) {
  let due = 0;
  let turn = 0;
  return () => {
    for (due += (perSecond * STEP_MS) / 1_000; due >= 1; due--) {
      printers.ask(accounts[turn++ % accounts.length] as string, maxPages);
    }
  };
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `account-${i}`);

describe('a burst after a pause', () => {
  test.for([400, 100, 40])(
    'is admitted whole, from 1 label to 300, by printers of %i a second',
    (perSecond) => {
      const refused: number[] = [];
      for (let labels = 1; labels <= 300; labels++) {
        const printers = new Printers(perSecond);
        printers.ask('one');
        printers.pass(20_000); // the pause, beside one label that tells nothing of the printers' pace
        let left = labels;
        const asking = () => {
          for (let i = 0; i < 3 && left > 0; i++, left--) printers.ask('one');
        };
        printers.pass(12_000, asking); // as fast as 300 a second come in
        const { refused: count, late } = printers.of('one');
        if (count + late > 0) refused.push(labels);
      }
      expect(refused).toEqual([]);
    },
  );
});

describe('at three times what the printers can do', () => {
  test.for([
    ['one account without a limit', 1, 300, 100_000],
    ['50 accounts', 50, 300, 300],
    ['as many accounts as labels', 100_000, 300, 300],
  ] as const)('of %s, they always print, and nothing is late', ([, accounts, perSecond, maxPages]) => {
    const printers = new Printers(perSecond);
    const seconds = 25;
    printers.pass(1_000 * seconds, atRate(printers, 3 * perSecond, names(accounts), maxPages));
    const outcomes = [...printers.outcomes.values()];
    const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, one) => total + of(one), 0);
    expect(sum(({ late }) => late)).toBe(0);
    expect(sum(({ waitsMs }) => waitsMs.length) / seconds / perSecond).toBeGreaterThan(0.97);
    expect(sum(({ refused }) => refused)).toBeGreaterThan(0.9 * perSecond * seconds);
  });

  test.for([
    ['one account', 1, 100_000, 1_000],
    ['50 accounts', 50, 300, 7_000],
  ] as const)(
    'of %s, an account that asks for little is never refused',
    ([, accounts, maxPages, slowestMs]) => {
      const printers = new Printers(300);
      const flood = atRate(printers, 900, names(accounts), maxPages);
      const little = atRate(printers, 4, ['little']);
      printers.pass(30_000, () => {
        flood();
        little();
      });
      const { asked, refused, late, waitsMs } = printers.of('little');
      expect([asked, refused, late]).toEqual([120, 0, 0]);
      expect(Math.max(...waitsMs)).toBeLessThan(slowestMs);
    },
  );
});

test('a label that was given up and is asked for again counts once, until it is left', () => {
  let ms = 0;
  const admission = new Admission(() => ms);
  const enter = () => admission.enter({ account: 'one', key: 'label', pages: 5, maxPages: 300 });
  enter()('abandoned');
  ms = 500;
  const leave = enter();
  ms = 5_000;
  expect(admission.pagesOf('one')).toBe(5);
  leave();
  expect(admission.pagesOf('one')).toBe(0);
});

test('five thousand labels wait in a process, and the next one is refused', () => {
  const admission = new Admission(() => 0);
  const enter = (account: string, key: number) =>
    admission.enter({ account, key: `${key}`, pages: 1, maxPages: 300 });
  const leaves = Array.from({ length: 5_000 }, (_, i) => enter(`account-${i % 50}`, i));
  expect(() => enter('another', 5_000)).toThrow(
    expect.objectContaining({ code: 'overloaded', params: { seconds: 5 } }),
  );
  leaves[0]?.();
  enter('another', 5_000);
});

test('printers that stand still for four seconds, as while a dead worker is noticed, refuse no label', () => {
  const printers = new Printers(300);
  const asking = atRate(printers, 30, ['one', 'two']);
  printers.pass(5_000, asking);
  printers.perSecond = 0;
  printers.pass(4_000, asking);
  printers.perSecond = 300;
  printers.pass(5_000, asking);
  for (const { asked, refused, late, waitsMs } of printers.outcomes.values()) {
    expect(asked).toBeGreaterThan(200);
    expect([refused, late]).toEqual([0, 0]);
    expect(Math.max(...waitsMs)).toBeGreaterThan(3_000);
  }
});

describe('requests whose guides are read for half a second', () => {
  test('are refused before, and hardly any after, at three times what the printers can do', () => {
    const printers = new Printers(300);
    const reading: { ready: number; asked: Asked }[] = [];
    let refusedBefore = 0;
    const asking = (account: string, perSecond: number) => {
      let due = 0;
      return () => {
        for (due += (perSecond * STEP_MS) / 1_000; due >= 1; due--) {
          try {
            reading.push({ ready: printers.ms + 500, asked: printers.admission.ask(account) });
          } catch {
            refusedBefore++;
          }
        }
        while (reading[0] && reading[0].ready <= printers.ms)
          printers.ask(account, 100_000, reading.shift()?.asked);
      };
    };
    printers.pass(25_000, asking('one', 900));
    const { refused, late, waitsMs } = printers.of('one');
    expect(late).toBe(0);
    expect(waitsMs.length / 25 / 300).toBeGreaterThan(0.97);
    expect(refusedBefore).toBeGreaterThan(0.9 * 300 * 25);
    expect(refused).toBeLessThan(0.02 * refusedBefore);
  });

  test('count as waiting: five thousand of them, and the next is refused, until one has left', () => {
    const admission = new Admission(() => 0);
    const asked = Array.from({ length: 5_000 }, (_, i) => admission.ask(`account-${i % 50}`));
    expect(() => admission.ask('another')).toThrow(expect.objectContaining({ code: 'overloaded' }));
    asked[0]?.end();
    asked[0]?.end();
    admission.ask('another');
    expect(() => admission.ask('another')).toThrow(expect.objectContaining({ code: 'overloaded' }));
  });
});

describe('printers that finish nothing', () => {
  test('are given labels for eight seconds, then none of any account', () => {
    const printers = new Printers(0);
    printers.ask('one');
    expect(printers.ask('one')).toBeTypeOf('function');
    printers.pass(8_000);
    expect(printers.ask('two')).toBeTypeOf('function');
    printers.pass(10);
    expect([printers.ask('one'), printers.ask('three')]).toEqual(['overloaded', 'overloaded']);
  });

  test('are not blamed for a pause in which nobody asked, nor once those who waited have left', () => {
    const printers = new Printers(0);
    printers.pass(60_000);
    const leave = [printers.ask('one'), printers.ask('one')] as (() => void)[];
    printers.pass(9_000);
    for (const one of leave) one();
    for (let i = 0; i < 300; i++) expect(printers.ask('two')).toBeTypeOf('function');
  });

  test('are not blamed for a label that hangs alone: a burst beside it is admitted whole', () => {
    const printers = new Printers(0);
    printers.ask('one');
    printers.pass(9_000);
    for (let i = 0; i < 300; i++) expect(printers.ask('two')).toBeTypeOf('function');
  });
});
