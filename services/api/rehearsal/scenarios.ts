import type { EventBody } from '#shared/tracking/event-model.ts';

/** What happens to a parcel, but for its guide and moment. `place`: at which branch. `again`: it is told twice. */
export type Step = Pick<EventBody, 'Tipo' | 'Motivo' | 'Recibe' | 'Paquete' | 'Imagen'> & {
  /** Whether what the guide says is collected, or another amount. */
  collects?: 'all' | 'other';
  place?: 'origin' | 'destination';
  /** Of a picture: the number of the step that it proves, from 0. */
  of?: number;
  /** Annuls the step of this number, from 0. */
  annuls?: number;
  again?: true;
  /** Its place in time, from 0, if it differs from its place in the list. */
  moment?: number;
};

const COLLECTED: Step = { Tipo: 'Recolectado', place: 'origin' };
const MOVING: Step = { Tipo: 'EnTransito', place: 'origin' };
const AT_BRANCH: Step = { Tipo: 'EnSucursal', place: 'destination' };
const OUT: Step = { Tipo: 'EnReparto', place: 'destination' };
const DELIVERED: Step = { Tipo: 'Entregado', place: 'destination' };
const START = [COLLECTED, MOVING];
const incident = (Motivo: NonNullable<EventBody['Motivo']>): Step => ({
  Tipo: 'Incidencia',
  Motivo,
  place: 'destination',
});

/** The days that an integrator should have seen, the bad ones too (docs/contract.md "Rehearsal"). */
const SCENARIOS = {
  entrega: () => [...START, OUT, DELIVERED],
  sucursal: () => [...START, AT_BRANCH, DELIVERED],
  ausente: () => [...START, OUT, incident('destinatario_ausente'), OUT, DELIVERED],
  devolucion: () => [
    ...[...START, OUT, incident('rechazado')],
    { Tipo: 'Devuelto', Motivo: 'rechazado', place: 'origin' },
  ],
  extravio: () => [...START, incident('extraviado')],
  correccion: () => [...START, OUT, DELIVERED, { Tipo: 'Anulacion', annuls: 3 }, DELIVERED],
  varios_paquetes: (packages) => [
    ...START,
    ...Array.from({ length: packages }, (_, i) => ({ ...OUT, Paquete: i + 1 })),
    ...Array.from({ length: packages }, (_, i) => ({ ...DELIVERED, Paquete: i + 1 })),
  ],
  cobro: () => [...START, OUT, { ...DELIVERED, collects: 'all' }],
  cobro_diferente: () => [...START, OUT, { ...DELIVERED, collects: 'other' }],
  desorden: () => [COLLECTED, { ...OUT, moment: 2 }, { ...MOVING, moment: 1 }, DELIVERED],
  // Of the early return of a guide that is not delivered.
  devolucion_anticipada: () => [...START, { ...DELIVERED }],
  repeticion: () => [...START, OUT, DELIVERED].map((step) => ({ ...step, again: true as const })),
  entrega_con_firma: () => [
    ...[...START, OUT, DELIVERED],
    ...['firma', 'foto1'].map((Imagen): Step => ({ Tipo: 'Evidencia', Imagen, of: 3 })),
  ],
} as const satisfies Record<string, (packages: number) => Step[]>;
export type Scenario = keyof typeof SCENARIOS;
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as Scenario[];

/** Returns the steps of a scenario, up to and with the first one of a type. */
export function stepsOf(scenario: Scenario, packages: number, until?: string): Step[] | undefined {
  const steps = SCENARIOS[scenario](packages);
  if (until === undefined) return steps;
  const end = steps.findIndex(({ Tipo }) => Tipo === until);
  return end < 0 ? undefined : steps.slice(0, end + 1);
}
