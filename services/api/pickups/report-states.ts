import { type Static, Type } from 'typebox';
import { inTurns } from '#shared/async/in-turns.ts';
import { type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { FAILURE_REASONS, isTestPickup, type PickupChange } from '#shared/pickups/pickup.ts';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import { CLOCKS_DIFFER_MS, Event } from '#shared/tracking/event.ts';
import { arrayIn, isObject, normalizeFields, tidy, toProblem } from '../http/body.ts';
import { changePickup } from './change-pickup.ts';
import { pickupNumbers } from './pickup-number.ts';
import type { PickupStore } from './pickup-store.ts';

/** Most states in one request. */
export const MAX_STATES = 500;
/** States that the carrier reports. */
const REPORTED_STATES = ['Programada', 'Recolectada', 'Fallida', 'Cancelada'] as const;

const oneOf = <V extends string>(values: readonly V[], description: string) =>
  Type.Enum([...values], { type: 'string', description, 'x-regla': `debe ser uno de: ${values.join(', ')}` });

export const ReportedState = Type.Object(
  {
    Recoleccion: Type.String({
      description: 'Número de la recolección, como en su código de barras',
      examples: ['R48291365074'],
      'x-regla': 'debe ser el numero de una recoleccion',
    }),
    Estado: oneOf(REPORTED_STATES, 'En qué estado está'),
    Motivo: Type.Optional(oneOf(FAILURE_REASONS, 'Obligatorio con Fallida, y solo con ella')),
    Ocurrido: Type.Optional({
      ...Event.properties.Ocurrido,
      description: 'Cuándo, con zona (RFC 3339); ahora si falta, y hasta 10 minutos adelante',
    }),
  },
  { additionalProperties: false, title: 'EstadoDeRecoleccion', description: 'Qué pasó con una recolección' },
);
const FIELDS: ReadonlySet<string> = new Set(Object.keys(ReportedState.properties));
const isReportedState = strictAjv({ allErrors: false, verbose: true }).compile<Static<typeof ReportedState>>(
  ReportedState,
);

/** What became of a reported state; `number` if it has a valid one. */
export type StateOutcome = { number: string | undefined; verdict: 'new' | 'repeated' | Problem };

/**
 * Registers what became of pick-ups of any account, each by itself: a fact does not wait for its neighbour.
 *
 * @throws DomainError for a body without states; `pickup-unknown`: some may be registered, and whoever repeats registers none twice.
 */
export async function reportStates(
  pickups: PickupStore,
  body: unknown,
  username: string,
): Promise<StateOutcome[]> {
  const sent = arrayIn(body, 'Estados', MAX_STATES, ['states-missing', 'states-empty', 'too-many-states']);
  const problems = new ProblemList();
  normalizeFields(body as Record<string, unknown>, new Set(['Estados']), problems);
  for (const [indice, state] of sent.entries()) {
    if (!isObject(state)) problems.add(() => ({ indice, code: 'state-invalid' }));
  }
  problems.throwIfAny('fields-invalid');
  const now = await pickups.clock.now();
  const checked = await inTurns(sent as Record<string, unknown>[], (state) => checkState(state, now));
  // One after the other for each pick-up: a list may report two states of one.
  const outcomes: StateOutcome[] = [];
  const lines = Map.groupBy(checked.entries(), ([, state]) => ('code' in state ? '' : state.number));
  await Promise.all(
    [...lines.values()].map(async (line) => {
      for (const [i, state] of line) {
        const number = 'code' in state ? undefined : state.number;
        const verdict = 'code' in state ? state : await register(pickups, state, username);
        outcomes[i] = { number, verdict };
      }
    }),
  );
  return outcomes;
}

type Report = { number: string; change: PickupChange };

/** Checks the fields of a state by themselves. @returns the change that it reports, or what is wrong. */
function checkState(sent: Record<string, unknown>, now: Date): Report | Problem {
  const unknown = new ProblemList();
  const fields = normalizeFields(sent, FIELDS, unknown);
  if (unknown.first[0]) return unknown.first[0];
  if (!isReportedState(fields)) return toProblem((isReportedState.errors ?? [])[0] as never);
  const { Recoleccion, Estado: to, Motivo: reason, Ocurrido } = fields;
  const number = tidy(Recoleccion);
  if (!pickupNumbers.has(number)) return { campo: 'Recoleccion', code: 'pickup-not-found' };
  if (isTestPickup(number)) return { campo: 'Recoleccion', code: 'pickup-is-test' };
  if (to === 'Fallida' && reason === undefined) return { campo: 'Motivo', code: 'field-required' };
  if (to !== 'Fallida' && reason !== undefined) return invalid('Motivo', 'solo va con Estado Fallida');
  const occurred = Ocurrido === undefined ? now : new Date(Ocurrido);
  // A leap second has the form of a time, and is none.
  if (Number.isNaN(occurred.getTime())) {
    return invalid('Ocurrido', 'debe ser una fecha y hora con zona (RFC 3339)');
  }
  if (occurred.getTime() > now.getTime() + CLOCKS_DIFFER_MS) {
    return invalid('Ocurrido', 'no puede estar mas de 10 minutos en el futuro');
  }
  const why = to === 'Cancelada' ? 'transportista' : reason;
  return { number, change: { to, occurred, ...(why !== undefined && { reason: why }) } };
}

async function register(
  pickups: PickupStore,
  { number, change }: Report,
  username: string,
): Promise<StateOutcome['verdict']> {
  const pickup = await pickups.find(number);
  if (!pickup) return { campo: 'Recoleccion', code: 'pickup-not-found' };
  const { pickup: changed, verdict } = await changePickup(pickups, pickup, change, username);
  if (verdict === 'before') return invalid('Ocurrido', 'no puede ser anterior a la recoleccion');
  if (verdict !== 'refused') return verdict;
  return { campo: 'Estado', code: 'pickup-ended', params: { status: changed.status } };
}

function invalid(campo: string, rule: string): Problem {
  return { campo, code: 'field-invalid', params: { rule } };
}
