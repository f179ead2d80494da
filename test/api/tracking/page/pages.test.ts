import { expect, test } from 'vitest';
import { BRANCHES } from '#local/demo-data.ts';
import { arrivalWords, conditionWords } from '#services/api/http/public-pages/arrival.ts';
import { localTimeFormatter, zonedTime } from '#services/api/platform/local-time.ts';
import { guidePage, trackingView } from '#services/api/tracking/page/pages.ts';
import type { Branch } from '#shared/branches/branch.ts';
import { STATE_EVENTS, STATES, type StateEvent } from '#shared/guides/event-types.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { EventBody, LogEntry } from '#shared/tracking/event-model.ts';
import { REASON_NAMES, REASONS } from '#shared/tracking/reasons.ts';
import { newRecord } from '#test/bench/load/guides.ts';
import { textOf } from '#test/fixtures/page-visits.ts';

/** What the page says of guides to Monterrey; `tracking-page.test.ts` asks the api for it. */

const DAY_MS = 86_400_000;
const NUMBER = '390458235877';
const ZONE = 'America/Mexico_City';
const viewOf = trackingView(ZONE, Date.now);
const cities = new Map(BRANCHES.map(({ Codigo, Municipio, Estado }) => [Codigo, `${Municipio}, ${Estado}`]));
const pickUp = BRANCHES.find(({ Codigo }) => Codigo === 'MTY01') as Branch;

type Told = [type: EventBody['Tipo'], more?: Partial<EventBody>];
/** Events are a second apart, unless they say when they occurred. */
function said(told: Told[], { packages = 1, ...more }: Partial<GuideDocument> & { packages?: number } = {}) {
  const record = { ...newRecord(), _id: NUMBER, ...more };
  const guide = { ...record, guide: { ...record.guide, Producto: { Contenido: 'x', Paquetes: packages } } };
  const entries = told.map(([Tipo, event], i) => {
    const Ocurrido = new Date(Date.now() + i * 1_000).toISOString();
    return { told: { Guia: NUMBER, Id: `e${i}`, Tipo, Ocurrido, ...event } } as LogEntry;
  });
  return textOf(
    guidePage({ carrier: 'Correcaminos', contact: null, ...viewOf({ guide, entries, cities, pickUp }) }),
  );
}

test('every state and every reason has its words', () => {
  expect(said([])).toContain(`${STATES.Documentado.title} ${STATES.Documentado.sentence}`);
  expect(said([['Cancelacion']])).toMatch(/Guía cancelada Este envío ya no se hará\..*Guía cancelada/);
  for (const [type, { requires, title, sentence, event }] of Object.entries(STATE_EVENTS)) {
    const text = said([[type as StateEvent, requires ? ({ [requires]: 'otro' } as Partial<EventBody>) : {}]]);
    expect(text).toContain(`${title} ${sentence}`);
    expect(text.split('Lo que ha pasado')[1]).toContain(event ?? title);
  }
  for (const Motivo of REASON_NAMES) {
    const text = said([['Devuelto', { Motivo }]]);
    expect(text).toContain(`${STATES.Devuelto.event} ${REASONS[Motivo]}`);
    const [first = '', ...rest] = REASONS[Motivo];
    const headline = `Devuelto: ${first.toLowerCase()}${rest.join('')} ${STATES.Devuelto.sentence}`;
    expect(text.includes(headline)).toBe(Motivo !== 'otro');
  }
});

test('a reason of a later release has no words', () => {
  const { title, sentence } = STATES.Devuelto;
  expect(said([['Devuelto', { Motivo: 'aduana' as 'otro' }]])).toContain(`${title} ${sentence}`);
});

const READY =
  'Listo para recoger El paquete espera en la sucursal. ' +
  'Monterrey Centro Av. Juárez 800, Centro, 64000 Monterrey, Nuevo León Teléfono 81 5000 0101 ' +
  'Horario: Lunes a viernes de 9:00 a 18:00, sábado de 9:00 a 13:00 ';
const PASSING = 'En camino El paquete está de paso en ';
const one = (Sucursal?: string): Told[] => [['EnSucursal', Sucursal ? { Sucursal } : {}]];
const SOME_MOVE: Told[] = [
  ...one('MTY01'),
  ['EnSucursal', { Paquete: 2, Sucursal: 'GDL01' }],
  ['Entregado', { Paquete: 7, Sucursal: 'MTY01' }],
];

test.for<[what: string, service: GuideDocument['service'], packages: number, told: Told[], says: string]>([
  ['at its branch', 'the service', 1, one('MTY01'), READY],
  ['at a branch that the event does not name', 'the service', 1, one(), READY],
  ['at another branch', 'the service', 1, one('GDL01'), `${PASSING}Guadalajara, Jalisco. `],
  ['at another branch', 'Domicilio', 1, one('GDL01'), `${PASSING}Guadalajara, Jalisco. `],
  ['at a branch that the event does not name', 'Domicilio', 1, one(), `${PASSING}una sucursal. `],
  [
    ...(['at its branch', 'Domicilio', 1, one('MTY01')] as const),
    'En la sucursal de reparto El paquete llegó a la sucursal que lo lleva a la puerta. ',
  ],
  [
    ...(['in two cities', 'Domicilio', 2] as const),
    [
      ['EnSucursal', { Paquete: 1, Sucursal: 'GDL01' }],
      ['EnSucursal', { Paquete: 2, Sucursal: 'MEX01' }],
    ],
    `${PASSING}una sucursal. `,
  ],
  [
    ...(['of which some still move', 'the service', 7, SOME_MOVE] as const),
    `${PASSING}Guadalajara, Jalisco. ` +
      'Guía creada Recolectado En camino En reparto Entregado 1 de 7 paquetes entregados ' +
      'Paquetes 1, 3, 4, 5 y 6 Listo para recoger, Monterrey, Nuevo León ' +
      'Paquete 2 En camino, Guadalajara, Jalisco Paquete 7 Entregado, Monterrey, Nuevo León ',
  ],
  [
    ...(['of which all others are there', 'the service', 7] as const),
    [...SOME_MOVE, ['EnSucursal', { Paquete: 2, Sucursal: 'MTY01' }]],
    `${READY}Guía creada Recolectado En camino Listo para recoger Entregado 1 de 7 paquetes entregados ` +
      '6 paquetes Listo para recoger, Monterrey, Nuevo León ',
  ],
])('packages %s (%s, %i)', ([, service, packages, told, says]) => {
  const text = said(told, { service, packages });
  expect(text).toContain(`Guía ${NUMBER} ${says}`);
  expect(text.includes('Av. Juárez')).toBe(says.startsWith(READY));
});

test('a quoted guide says on which days it arrives, as long as they hold', () => {
  const localTime = localTimeFormatter(ZONE);
  const now = Date.now();
  const dayOf = (days: number) => localTime(new Date(now + days * DAY_MS)).slice(0, 10);
  const momentOf = (days: number) => zonedTime(localTime, now + days * DAY_MS);
  const IN_TIME = { Desde: dayOf(2), Hasta: dayOf(3), SiSeRecibeAntesDe: momentOf(1) };
  const LATE = { ...IN_TIME, SiSeRecibeAntesDe: momentOf(-0.5) };
  const untilDay = (days: number) => ({ ...IN_TIME, Desde: dayOf(-1), Hasta: dayOf(days) });
  const arrival = (
    told: Told[],
    EntregaEstimada = IN_TIME,
    service: GuideDocument['service'] = 'the service',
  ) => {
    const text = said(told, { service, quote: { EntregaEstimada } } as Partial<GuideDocument>);
    return /Llega (?:el|entre) .*?(?= Guía creada)/.exec(text)?.[0];
  };
  const days = arrivalWords(IN_TIME);

  expect(arrival([])).toBe(`${days}, ${conditionWords(IN_TIME.SiSeRecibeAntesDe)}`);
  for (const type of ['Recolectado', 'EnTransito', 'EnReparto'] as const)
    expect(arrival([[type]])).toBe(days);
  expect(arrival(one(), IN_TIME, 'Domicilio')).toBe(days);
  expect(arrival([['Cancelacion']])).toBeUndefined();
  for (const type of ['Incidencia', 'Devuelto', 'EnSucursal', 'Entregado'] as const) {
    const told: Told[] = [['Recolectado'], [type, { Id: 'uno', Motivo: 'otro' }]];
    expect(arrival(told)).toBeUndefined();
    expect(arrival([...told, ['Anulacion', { Anula: 'uno' }]])).toBe(days);
  }
  expect(arrival([['EnTransito']], untilDay(0))).toBe(arrivalWords(untilDay(0)));
  expect(arrival([['EnTransito']], untilDay(-1))).toBeUndefined();
  // It comes too late, unless the scanner tells afterwards that it was received in time.
  expect(arrival([], LATE)).toBeUndefined();
  expect(arrival([['EnTransito']], LATE)).toBeUndefined();
  const yesterday = new Date(now - DAY_MS).toISOString();
  expect(arrival([['EnTransito'], ['Recolectado', { Ocurrido: yesterday }]], LATE)).toBe(days);
});
