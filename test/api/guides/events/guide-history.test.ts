import { expect, it } from 'vitest';
import { GuideHistory } from '#services/api/guides/events/guide-history.ts';
import { EVENT_TYPES, MAX_EVENTS } from '#shared/contracts/event.ts';
import type { LogEntry, Told } from '#shared/stores/event-log.ts';
import { newRecord } from '#test/bench/load/guides.ts';

const PACKAGES = 99;
const KNOWN = 1_500;
const guide = newRecord();
guide.guide.Producto.Paquetes = PACKAGES;
const from = guide.createdUtc.getTime();
let looks = 0;

/** Makes an event that counts how often its type and its time are looked at. */
function counted(i: number): Told {
  const Tipo = EVENT_TYPES[i % 4] ?? 'EnTransito';
  const Ocurrido = new Date(from + i).toISOString();
  const told = { Id: `e${i}`, Guia: guide.number, ...(i % 100 > 0 && { Paquete: i % 100 }) };
  const counting = <V>(value: V) => ({
    get: () => {
      looks++;
      return value;
    },
  });
  return Object.defineProperties(told as Told, { Tipo: counting(Tipo), Ocurrido: counting(Ocurrido) });
}

it('takes 500 events of a guide of 99 packages with 1500 events by looking at each a few times', () => {
  const entries = Array.from({ length: KNOWN }, (_, i) => ({ told: counted(i), version: i + 1 }) as LogEntry);
  const history = new GuideHistory(guide, entries, 'append');
  looks = 0;
  const versions = Array.from({ length: MAX_EVENTS }, (_, i) => {
    const told = counted(KNOWN + i);
    expect(history.judge(told)).toBe('new');
    return history.add(told, 'escaner').version;
  });
  expect([versions.at(0), versions.at(-1)]).toEqual([KNOWN + 1, KNOWN + MAX_EVENTS]);
  // Of each new event, and, for the status after it, of what counts for each package.
  expect(looks / MAX_EVENTS).toBeLessThan(10 * PACKAGES);
});
