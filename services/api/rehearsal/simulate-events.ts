import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { inTurns } from '#shared/async/in-turns.ts';
import { DomainError, type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { EVENT_TYPE_NAMES } from '#shared/guides/event-types.ts';
import { type Guide, isTestNumber } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { MAX_EVENTS, MAX_EVENTS_OF_GUIDE } from '#shared/tracking/event.ts';
import type { EventLog } from '#shared/tracking/event-log.ts';
import { type EventBody, pictureEntry } from '#shared/tracking/event-model.ts';
import type { Caller } from '../accounts/account-limits.ts';
import { findGuide } from '../guides/guide-access.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import { arrayIn, fieldError, isAbsent, isObject, normalizeFields, tidy } from '../http/body.ts';
import type { EventRegister } from '../tracking/event-register.ts';
import { checkEvent, EVENT_FIELDS } from '../tracking/event-request.ts';
import { guideEvents } from '../tracking/read-events.ts';
import { SCENARIO_NAMES, type Scenario, stepsOf } from './scenarios.ts';

/** Scenarios of a room above, which more than the guide takes part in. */
export type OtherScenarios = {
  names: readonly string[];
  /** @param number of the guide. @throws DomainError where the scenario cannot be played. */
  play(name: string, number: string, user: Caller): Promise<void>;
};

type Deps = {
  guides: GuideStore;
  events: EventRegister;
  eventLog: EventLog;
  scenarios: readonly OtherScenarios[];
};

const REQUEST_FIELDS: ReadonlySet<string> = new Set(['Escenario', 'Hasta', 'Eventos']);
/** Fields of an event that a simulation fills in itself. */
const FILLED: readonly string[] = ['Guia', 'Ocurrido'];
const SENT_FIELDS: ReadonlySet<string> = new Set(EVENT_FIELDS.filter((name) => !FILLED.includes(name)));
const SECOND_MS = 1_000;
/** Events keep their moments in ms, and two of one moment have no order. */
const LEAST_STEP_MS = 1;

/**
 * Registers events of a guide of a test account, as scanners would (docs/contract.md "Rehearsal"): a scenario, or
 * events of the caller's own. They occur a second apart, the last one now. If the guide's last event leaves them less
 * time, they divide it.
 *
 * @returns all events of the guide.
 * @throws DomainError `test-accounts-only`, `guide-not-found`, `fields-invalid`; of the first event that is refused.
 */
export async function simulateEvents(
  { guides, events, eventLog, scenarios }: Deps,
  number: string,
  body: unknown,
  user: Caller,
) {
  if (!user.test) throw new DomainError('test-accounts-only');
  // An account of this name may have had real guides once.
  if (!isTestNumber(number)) throw new DomainError('guide-not-found');
  const guide = await findGuide(guides, number, { ...user, permissions: [] });
  const others = scenarios.flatMap(({ names }) => names);
  const bodies = await readBody(body, guide, others);
  if (typeof bodies === 'string') {
    await scenarios.find(({ names }) => names.includes(bodies))?.play(bodies, number, user);
    return guideEvents(eventLog, number, user);
  }
  // It stays full, so nothing of it needs to be read.
  if ((guide.events ?? 0) >= MAX_EVENTS_OF_GUIDE) throw fieldError('Guia', 'guide-events-full');
  const momentOf = await momentsAfter(eventLog, number, bodies.length);
  const told = bodies.map(({ moment, ...event }, i) => ({ ...event, Ocurrido: momentOf(moment ?? i) }));
  // Asked at once they are appended together, in this order.
  const verdicts = await Promise.all(told.map((event) => events.add(guide.account, event, user.username)));
  const refused = verdicts.find((verdict) => typeof verdict !== 'string');
  if (refused) throw refusalOf(refused);
  return guideEvents(eventLog, number, user);
}

/** An event without its moment, and its place in time if that is not its place in the list. */
type Planned = Omit<EventBody, 'Ocurrido'> & { moment?: number };

/**
 * Returns a function that returns the moment of each of `count` events: after a guide's last one, in order, and never in the
 * future.
 * Events that come right after others wait until each has a millisecond, half a second at most.
 */
async function momentsAfter(
  eventLog: EventLog,
  number: string,
  count: number,
): Promise<(place: number) => string> {
  const timeNow = async () => (await eventLog.now()).getTime();
  const latest = await eventLog.latestOf(number);
  const missing = latest + count * LEAST_STEP_MS - (await timeNow());
  // A last event in the future, of an earlier release, is no reason to wait for that moment.
  if (missing > 0 && missing <= count * LEAST_STEP_MS) await delay(missing + 1);
  const now = Math.max(await timeNow(), latest + count * LEAST_STEP_MS);
  const step = Math.min(SECOND_MS, Math.floor((now - latest) / count));
  return (place) => new Date(now - (count - 1 - place) * step).toISOString();
}

/** @param others scenarios of rooms above, of which the name is returned. */
function readBody(
  body: unknown,
  guide: GuideDocument,
  others: readonly string[],
): string | Planned[] | Promise<Planned[]> {
  if (!isObject(body)) throw fieldError('Escenario', 'field-required');
  const problems = new ProblemList();
  const { Escenario, Hasta, Eventos } = normalizeFields(body, REQUEST_FIELDS, problems);
  problems.throwIfAny('fields-invalid');
  if (isAbsent(Escenario) && isAbsent(Eventos)) throw fieldError('Escenario', 'field-required');
  if (!isAbsent(Escenario) && !isAbsent(Eventos)) {
    const rule = 'no va junto con Eventos: mande uno de los dos';
    throw fieldError('Escenario', 'field-invalid', { rule });
  }
  if (isAbsent(Escenario)) return ownEvents(body, guide);
  const name = oneOf('Escenario', Escenario, [...SCENARIO_NAMES, ...others]);
  const scenario = SCENARIO_NAMES.find((each) => each === name);
  if (scenario) return scenarioEvents(scenario, Hasta, guide);
  if (isAbsent(Hasta)) return name;
  throw fieldError('Hasta', 'field-invalid', { rule: `no va junto con Escenario ${name}` });
}

function scenarioEvents(scenario: Scenario, until: unknown, guide: GuideDocument): Planned[] {
  const packages = guide.guide.Producto.Paquetes ?? 1;
  if (scenario === 'varios_paquetes' && packages < 2) {
    throw fieldError('Escenario', 'field-invalid', {
      rule: 'varios_paquetes pide una guia con Producto.Paquetes de 2 o mas',
    });
  }
  const { Cobro } = guide.guide;
  if (!Cobro && stepsOf(scenario, packages)?.some(({ collects }) => collects)) {
    throw fieldError('Escenario', 'field-invalid', { rule: `${scenario} pide una guia con Cobro` });
  }
  const end = until === undefined ? undefined : oneOf('Hasta', until, EVENT_TYPE_NAMES);
  const steps = stepsOf(scenario, packages, end);
  if (!steps) {
    const types = [...new Set(stepsOf(scenario, packages)?.map(({ Tipo }) => Tipo))].join(', ');
    throw fieldError('Hasta', 'field-invalid', { rule: `debe ser uno de: ${types}` });
  }
  const ids = steps.map(() => randomUUID());
  return steps.flatMap((step, i) => {
    const { again, annuls, collects, place, of, ...event } = step;
    if (of !== undefined) {
      const { Ocurrido: _, ...planned } = pictureEntry(guide._id, ids[of] as string, step.Imagen ?? '', '');
      return [planned];
    }
    const planned: Planned = {
      ...event,
      Guia: guide._id,
      Id: ids[i] as string,
      ...(place && { Sucursal: guide[place].code }),
      ...(annuls !== undefined && { Anula: ids[annuls] as string }),
      ...(collects && Cobro && { Cobrado: collectedOf(Cobro, collects) }),
    };
    // The same event again has the same moment, or it would be a conflict.
    return again ? [planned, planned].map((same) => ({ ...same, moment: i })) : [planned];
  });
}

/** Returns what was collected; of a single centavo nothing less can be, so that more is. */
function collectedOf({ Monto, Medios }: NonNullable<Guide['Cobro']>, collects: 'all' | 'other') {
  const Medio = Medios?.[0] ?? 'efectivo';
  if (collects === 'all') return { Monto, Medio };
  const centavos = Math.round(Monto * 100);
  return { Monto: centavos > 1 ? Math.floor(centavos / 2) / 100 : 0.02, Medio };
}

async function ownEvents(body: Record<string, unknown>, guide: GuideDocument): Promise<Planned[]> {
  const sent = arrayIn(body, 'Eventos', MAX_EVENTS, ['events-missing', 'events-empty', 'too-many-events']);
  const problems = new ProblemList();
  const planned = await inTurns(sent, (event, indice): Planned[] => {
    if (!isObject(event)) {
      problems.add(() => ({ indice, code: 'event-invalid' }));
      return [];
    }
    const fields = normalizeFields(event, SENT_FIELDS, problems, { indice });
    const Ocurrido = guide.createdUtc.toISOString(); // any moment will do
    const checked = checkEvent({ Id: randomUUID(), ...fields, Guia: guide._id, Ocurrido });
    if (!('Guia' in checked)) {
      problems.add(() => ({ indice, ...checked }));
      return [];
    }
    const packages = guide.guide.Producto.Paquetes ?? 1;
    if ((checked.Paquete ?? 1) > packages) {
      const rule = `debe ser un numero entero de 1 a ${packages}`;
      problems.add(() => ({ indice, campo: 'Paquete', code: 'field-invalid', params: { rule } }));
    }
    const { Ocurrido: _, ...rest } = checked;
    return [rest];
  });
  problems.throwIfAny('fields-invalid');
  return planned.flat();
}

function oneOf<V extends string>(campo: string, value: unknown, values: readonly V[]): V {
  const found = values.find((each) => each === tidy(value));
  if (!found) throw fieldError(campo, 'field-invalid', { rule: `debe ser uno de: ${values.join(', ')}` });
  return found;
}

function refusalOf({ campo, code, params }: Problem): DomainError {
  return campo === undefined ? new DomainError(code) : fieldError(campo, code, params);
}
