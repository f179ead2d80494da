import { CalendarStore } from '#services/api/pickups/calendar/calendar-store.ts';
import type { PickupCalendar, PickupRow } from '#shared/pickups/calendar-model.ts';
import { WEEKDAYS } from '#shared/pickups/calendar-model.ts';
import { type Answer, Client, minimalGuide } from '#test/fixtures/client.ts';
import { test as manifests } from '#test/fixtures/manifests.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

export type Window = { Fecha: string; Desde: string; Hasta: string; SolicitarAntesDe: string };
export type Pickup = {
  Recoleccion: string;
  Sucursal: string;
  Ventana: { Fecha: string; Desde: string; Hasta: string };
  Estado: string;
  Motivo?: string;
  Version: number;
  Paquetes: number;
  Historial: { Estado: string; Motivo?: string }[];
  Detalle: { SEND_GUIA: string; SEND_ESTATUS?: string }[];
};
export const pickupOf = ({ body }: Answer) => body.data as Pickup;
export const codeOf = ({ status, body }: Answer) => (status === 200 ? 200 : `${status} ${body.codigo}`);

let streets = 0;
/** An address in the zone of MEX01 that nobody has had before. */
export function newAddress(more: object = {}) {
  return {
    Nombre: 'Ana López',
    Celular: '55 1234 5678',
    CodigoPostal: '06600',
    Calle: `Calle ${++streets}`,
    ...more,
  };
}

/** Rows for every day of the week. */
export function everyDay(more: Partial<PickupRow> = {}): PickupRow[] {
  return WEEKDAYS.map((weekday) => ({
    ...{ branch: 'MEX01', weekday, from: '09:00', to: '13:00', cutoff: '08:00' },
    ...{ isDayBefore: false, automatic: false, ...more },
  }));
}

/** Tests with `ask`: asks for a pick-up by a user, of an address of its own, in the first window. */
export const test = manifests
  /** Puts a calendar in force, of which processes hear within two seconds. */
  .extend('calendar', { scope: 'file' }, ({ stores }) => async (calendar: Partial<PickupCalendar>) => {
    const store = new CalendarStore(stores.mongo);
    await store.add(await store.version(), { rows: [], closedDays: [], ...calendar }, 'prueba');
    passTime(2_000);
  })
  .extend('windows', { scope: 'file' }, ({ demo }) => async (code = '06600', client: Client = demo) => {
    const { body } = await client.get(`/api/recolecciones/disponibles?CodigoPostal=${code}`);
    return (body.data as { Ventanas: Window[] }).Ventanas;
  })
  .extend('request', { scope: 'file' }, ({ windows }) => async (more: object = {}) => {
    const [{ SolicitarAntesDe: _, ...Ventana } = {} as Window] = await windows();
    return { Ventana, Direccion: newAddress(), Paquetes: 3, ...more };
  })
  .extend(
    'ask',
    { scope: 'file' },
    ({ demo, request }) =>
      async (more: object = {}, { by = demo, key = '' }: { by?: Client; key?: string } = {}) =>
        by.post('/api/recolecciones', await request(more), key === '' ? {} : { 'idempotency-key': key }),
  )
  .extend('staff', { scope: 'file' }, ({ api }) => Client.login(api.url, 'operaciones'))
  .extend('tell', { scope: 'file' }, ({ staff }) => async (...Estados: object[]) => {
    const { body } = await staff.post('/api/recolecciones/estado', { Estados });
    return (body.data as { resultado: string; codigo?: string }[]).map(
      ({ resultado, codigo }) => codigo ?? resultado,
    );
  })
  .extend('read', { scope: 'file' }, ({ demo }) => async (number: string, by: Client = demo) => {
    return pickupOf(await by.get(`/api/recolecciones/${number}`));
  })
  .extend('guides', { scope: 'file' }, ({ demo }) => async (count: number, by: Client = demo) => {
    const created = await by.created(...Array.from({ length: count }, () => minimalGuide()));
    return created.map(({ SEND_GUIA }) => SEND_GUIA);
  });
