import { describe, expect, test } from 'vitest';
import { Histories } from '#services/canary/rounds/history.ts';
import { Schedule } from '#services/canary/rounds/schedule.ts';
import { requireSameTime } from '#services/canary/steps/clocks.ts';
import { makeSteps, type Outcome } from '#services/canary/steps/steps.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

const outcome = (step: Outcome['step'], result: Outcome['result'], more: Partial<Outcome> = {}): Outcome => ({
  ...{ step, result, form: '', ms: 50, isAtDeadline: false },
  ...{ answer: result === 'ok' ? '' : `${result}!`, ...more },
});

/** Notes one round after the other. */
function noted(...rounds: Outcome[][]): Histories {
  const histories = new Histories();
  for (const round of rounds) histories.note(round);
  return histories;
}
const rounds = (step: Outcome['step'], ...results: Outcome['result'][]) =>
  results.map((result) => [outcome(step, result)]);
const many = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);

describe('a step that fails', () => {
  test('is a fault from its second round in a row on', () => {
    expect(noted(...rounds('create', 'ok', 'failed')).faults()).toEqual([]);
    expect(noted(...rounds('create', 'failed', 'ok', 'failed')).faults()).toEqual([]);
    expect(noted(...rounds('create', 'failed', 'late')).faults()).toEqual([]);
    expect(noted(...rounds('create', 'ok', 'failed', 'failed')).faults()).toEqual([
      {
        ...{ step: 'create', form: '', isLate: false, answer: 'failed!' },
        sinceMs: expect.any(Number),
      },
    ]);
  });

  test('is a fault at once where its deadline passed', () => {
    const hanging = outcome('print', 'failed', { isAtDeadline: true, answer: 'sin respuesta en 10 s' });
    expect(noted([hanging]).faults()).toMatchObject([{ step: 'print', isLate: false }]);
  });

  test('has failed since the first round in a row, however many there were', () => {
    const histories = noted(...rounds('read', 'ok', 'failed'));
    passTime(600_000);
    for (const round of rounds('read', ...many(40, 'failed' as const))) histories.note(round);
    const [fault] = histories.faults();
    expect(fault?.sinceMs).toBeGreaterThanOrEqual(600_000);
    histories.note([outcome('read', 'ok')]);
    expect(histories.faults()).toHaveLength(1);
    histories.note([outcome('read', 'ok')]);
    expect(histories.faults()).toEqual([]);
  });

  test('is a fault also where rounds between are good or late, until more rounds are good than lay between', () => {
    const third = rounds('print', ...many(3, ['failed', 'ok', 'ok'] as const).flat());
    expect(noted(...third.slice(0, 6)).faults()).toEqual([]);
    expect(noted(...third).faults()).toMatchObject([{ step: 'print', isLate: false, answer: 'failed!' }]);
    expect(noted(...third, ...rounds('print', 'ok', 'ok')).faults()).toHaveLength(1);
    expect(noted(...third, ...rounds('print', 'ok', 'ok', 'ok')).faults()).toEqual([]);
    const mixed = rounds('print', 'late', 'failed', 'late');
    expect(noted(...mixed).faults()).toMatchObject([{ isLate: false, answer: 'failed!' }]);
  });

  test('that does not apply any more is forgotten', () => {
    const histories = noted(...rounds('quote', 'failed', 'failed'), ...rounds('read', 'failed', 'failed'));
    histories.note([], [{ step: 'quote', form: '' }]);
    expect(histories.faults().map(({ step }) => step)).toEqual(['read']);
    histories.forget();
    expect(histories.faults()).toEqual([]);
  });

  test('of one form says nothing of another', () => {
    const form = (name: string, result: Outcome['result']) => outcome('other-label', result, { form: name });
    const histories = noted([form('PNG carta', 'failed')], [form('ZPL carta', 'failed')]);
    expect(histories.faults()).toEqual([]);
    histories.note([form('PNG carta', 'failed')]);
    expect(histories.faults()).toMatchObject([{ step: 'other-label', form: 'PNG carta' }]);
  });
});

describe('a step that is late', () => {
  test('says how long it took, as people read it', async () => {
    const { outcomes } = await makeSteps(async (step) => {
      await step('create', async () => passTime(412));
      await step('print', async () => passTime(5_089));
    });
    expect(outcomes.map(({ answer }) => answer)).toEqual([
      expect.stringMatching(/^\d{3} ms, objetivo 300 ms$/),
      expect.stringMatching(/^5\.\d s, objetivo 1 s$/),
    ]);
  });

  test('is a fault when three of the last twelve rounds were', () => {
    expect(noted(...rounds('create', 'late', 'late')).faults()).toEqual([]);
    expect(noted(...rounds('create', 'late', 'ok', 'late', 'late')).faults()).toMatchObject([
      { step: 'create', isLate: true, answer: 'late!' },
    ]);
    const seldom = rounds('create', 'late', ...many(10, 'ok' as const), 'late', 'late');
    expect(noted(...seldom).faults()).toEqual([]);
  });

  test('at the start of a check that is made every few minutes is no fault, and is tried again soon', () => {
    expect(noted(...rounds('login', 'late')).faults()).toEqual([]);
    expect(noted(...rounds('login', 'late', 'ok', 'ok', 'late')).faults()).toEqual([]);
    expect(pauses(new Schedule(300_000), 'late', 'ok', 'ok')).toEqual([15, 15, 300]);
  });

  test('is over after two rounds in time', () => {
    const late = rounds('create', 'late', 'late', 'late', 'ok');
    expect(noted(...late).faults()).toHaveLength(1);
    expect(noted(...late, ...rounds('create', 'ok')).faults()).toEqual([]);
  });
});

test('the next fault of a step begins and ends by its own rounds', () => {
  const two = rounds('print', 'failed', 'failed', ...many(5, 'ok' as const), 'failed', 'failed', 'ok');
  expect(noted(...two).faults()).toHaveLength(1);
  expect(noted(...two, ...rounds('print', 'ok')).faults()).toEqual([]);
});

test('a step that is late by now is not said to fail as it did before', () => {
  const single = rounds('create', 'failed', 'ok', 'failed', 'ok', 'late', 'late', 'late');
  expect(noted(...single).faults()).toMatchObject([{ isLate: true, answer: 'late!' }]);
});

test('what fails is named before what is late, and what customers do first', () => {
  const histories = noted(
    ...many(3, [
      ...[outcome('create', 'late'), outcome('quote', 'failed'), outcome('print', 'failed')],
      outcome('read', 'ok'),
    ]),
  );
  expect(histories.faults().map(({ step }) => step)).toEqual(['print', 'quote', 'create']);
});

/** Returns the pauses after rounds that end so, in seconds. */
const pauses = (schedule: Schedule, ...results: Outcome['result'][]) =>
  results.map((result) => schedule.after([outcome('create', result)]) / 1_000);

test('three rounds follow a failed one after five seconds each, then as usual', () => {
  expect(pauses(new Schedule(15_000), 'ok', 'failed', 'ok', 'ok', 'ok')).toEqual([15, 5, 5, 5, 15]);
  expect(pauses(new Schedule(15_000), ...many(6, 'failed' as const))).toEqual([5, 5, 5, 15, 15, 15]);
  const seldom = [...many(5, 'failed' as const), 'ok', 'ok'] as const;
  expect(pauses(new Schedule(600_000), ...seldom)).toEqual([5, 5, 5, 15, 15, 15, 600]);
});

test('neither late rounds nor failures again and again use up what the account may do in a day', () => {
  expect(pauses(new Schedule(15_000), ...many(4, 'late' as const))).toEqual([15, 15, 15, 15]);
  const schedule = new Schedule(15_000);
  expect(pauses(schedule, 'failed', 'ok', 'ok', 'ok', 'failed')).toEqual([5, 5, 5, 15, 15]);
  passTime(121_000);
  expect(pauses(schedule, 'ok', 'failed', 'ok')).toEqual([15, 5, 5]);
});

describe('a clock', () => {
  const verdict = (aheadMs: Record<string, number>) => {
    try {
      requireSameTime(Object.entries(aheadMs).map(([name, ms]) => ({ name, aheadMs: ms })));
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('is named if it is a minute off', () => {
    expect(verdict({})).toBeUndefined();
    expect(verdict({ api: 59_000, MongoDB: -500 })).toBeUndefined();
    expect(verdict({ api: 90_000, MongoDB: 200 })).toBe('el reloj de api adelanta 1 min');
    expect(verdict({ api: 300, MongoDB: -120_000 })).toBe('el reloj de MongoDB atrasa 2 min');
  });

  test("is the canary's own if all others agree", () => {
    expect(verdict({ api: 90_000, MongoDB: 90_200 })).toBe('el reloj de canary difiere 1 min de los demás');
  });
});
