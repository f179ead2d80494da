import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import type { GuideStore } from '#services/api/guides/guide-store.ts';
import { EventRegister } from '#services/api/tracking/event-register.ts';
import type { EventLog } from '#shared/tracking/event-log.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';

/** What accounts may have under way in the register of a process, beside a log that holds every append up. */

const TOLD: EventBody = {
  Id: 'e1',
  Guia: '390458235877',
  Tipo: 'EnTransito',
  Ocurrido: '2026-11-22T19:05:00.000Z',
};

/** Returns a register, and the accounts whose appends have begun; `end` ends the first of them, the test's end all. */
function holdingRegister() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const testEnds = new Promise<void>((resolve) => onTestFinished(() => resolve()));
  const log: Pick<EventLog, 'append' | 'done'> = {
    done: async () => {},
    append: async <Result>(account: string) => {
      begun.push(account);
      await Promise.race([testEnds, new Promise<void>((resolve) => void ends.push(resolve))]);
      return { verdicts: Array(500).fill('repeated'), histories: new Map() } as Result;
    },
  };
  const guides: Pick<GuideStore, 'find'> = { find: async () => undefined };
  const register = new EventRegister(
    { log: log as EventLog, guides: guides as GuideStore, adjustersOf: async () => new Map() },
    new Registry(),
    () => {},
  );
  const add = (account: string) => register.add(account, TOLD, 'escaner');
  return { add, begun, end: () => ends.shift()?.() };
}

test.for<[string, boolean, Partial<EventBody>, boolean]>([
  ['a scan of a guide with a quote', true, {}, true],
  ['a scan of one without', false, {}, false],
  ['a weighing of one without', false, { Tipo: 'Pesaje', Peso: 8 }, true],
  ['the annulment of a weighing of one without', false, { Tipo: 'Anulacion', Anula: 'p1' }, true],
  ['the annulment of a scan of one without', false, { Tipo: 'Anulacion', Anula: 's1' }, false],
])(
  'a guide that was weighed is priced again by %s only if somebody sees the price',
  async ([, isQuoted, told, isAsked]) => {
    const guide = {
      ...{ _id: TOLD.Guia, account: 'demo', guide: { Producto: {} }, createdUtc: new Date(TOLD.Ocurrido) },
      ...(isQuoted && { quote: {} }),
    };
    const known = [{ ...TOLD, Id: 's1' }, { ...TOLD, Id: 'p1', Tipo: 'Pesaje', Peso: 9 } as const];
    const log = {
      done: async () => {},
      now: async () => new Date(TOLD.Ocurrido),
      ofGuides: async () => known.map((each) => ({ told: each, username: 'escaner', append: 'before' })),
      append: async (...[, , decide]: Parameters<EventLog['append']>) => (await decide()).result,
    };
    const guides = { find: async () => guide, storeStates: async () => true };
    const asked: string[] = [];
    const register = new EventRegister(
      {
        log: log as unknown as EventLog,
        guides: guides as unknown as GuideStore,
        adjustersOf: async (weighed) => {
          asked.push(...weighed.map(({ _id }) => _id));
          return new Map();
        },
      },
      new Registry(),
      () => {},
    );
    expect(await register.add('demo', { ...TOLD, ...told }, 'escaner')).toBe('registered');
    expect(asked).toEqual(isAsked ? [TOLD.Guia] : []);
  },
);

test('appends of sixteen accounts are under way at a time, and one of each account', async () => {
  const { add, begun, end } = holdingRegister();
  for (let i = 0; i < 40; i++) void add(`account-${i % 20}`);
  for (let i = 0; i < 10; i++) await setImmediate();
  expect(begun).toEqual(Array.from({ length: 16 }, (_, i) => `account-${i}`));
  end();
  await expect.poll(() => begun.length).toBe(17);
  expect(begun.at(-1)).toBe('account-16');
});

test('ten thousand events of an account wait, the next one is refused, and another account has its turn', async () => {
  const { add, begun } = holdingRegister();
  for (let i = 0; i < 10_000; i++) void add('greedy');
  await expect(add('greedy')).rejects.toMatchObject({ code: 'overloaded', params: { seconds: 2 } });
  void add('other');
  await expect.poll(() => begun).toEqual(['greedy', 'other']);
});
