import type { Static } from 'typebox';
import { DomainError } from '#shared/errors/domain-error.ts';
import { isTestPickup, type PickupAddress, type PickupState } from '#shared/pickups/pickup.ts';
import type { Pickup } from '#shared/pickups/pickup-model.ts';
import { MAX_PRINTED, type PickupsPayload, type PrintedPickup } from '#shared/pickups/pickups-payload.ts';
import type { CurrentState, GuideStore } from '../guides/guide-store.ts';
import { type ListParameters, readPage } from '../http/list-parameters.ts';
import type { LabelSettings } from '../labels/label-payload.ts';
import { zonedTime } from '../platform/local-time.ts';
import type { PickupStore } from './pickup-store.ts';
import type { BranchPickup, CompletePickup, PickupSummary } from './schemas.ts';
import { localTimeIn } from './zones.ts';

/** Most pick-ups of a branch and a day that a list has: more than any branch has vans for. */
const MAX_OF_DAY = 5_000;

/** Returns a page of the account's pick-ups, newest first, and the cursor of the next one; null after the last. */
export async function listPickups(
  pickups: PickupStore,
  account: string,
  request: ListParameters & { estado?: PickupState },
): Promise<{ pickups: Pickup[]; cursor: string | null }> {
  const { estado: status } = request;
  const { page, cursor } = await readPage(request, (within, limit) =>
    pickups.page({ account, ...(status && { status }), ...within }, limit),
  );
  return { pickups: page, cursor };
}

/** Returns the pick-ups of a branch on a day, or of one of its windows. */
export function pickupsOfBranch(
  pickups: PickupStore,
  { branch, date, from }: { branch: string; date: string; from: string | undefined },
): Promise<Pickup[]> {
  return pickups.ofBranch(branch, date, from, MAX_OF_DAY);
}

/** Returns the current states of a pick-up's guides that the account still has. */
export async function statesOf(
  guides: GuideStore,
  { guides: numbers = [], account }: Pickup,
): Promise<ReadonlyMap<string, CurrentState>> {
  return numbers.length === 0 ? new Map() : guides.statesOf(numbers, account);
}

/** Returns a pick-up as a list shows it. */
export function summaryOf(pickup: Pickup): Static<typeof PickupSummary> {
  const { _id, createdAt, branch, window, status, reason, packages, weight, manifest, version } = pickup;
  return {
    Recoleccion: _id,
    Fecha: createdAt,
    Sucursal: branch.code,
    Ventana: { Fecha: window.date, Desde: window.from, Hasta: window.to },
    SolicitarAntesDe: zonedTime(localTimeIn(window.zone), window.closesAt.getTime()),
    Estado: status,
    ...(reason && { Motivo: reason as NonNullable<Static<typeof PickupSummary>['Motivo']> }),
    Paquetes: packages,
    ...(weight !== undefined && weight !== null && { Peso: weight }),
    ...(manifest && { Manifiesto: manifest }),
    Version: version,
    ...(isTestPickup(_id) && { Prueba: true as const }),
  };
}

function detailsOf(pickup: Pickup) {
  const { address, notes, history } = pickup;
  return {
    ...summaryOf(pickup),
    Direccion: address,
    ...(notes && { Notas: notes }),
    Historial: history.map(({ status, reason, occurred, at }) => ({
      Estado: status,
      ...(reason && { Motivo: reason as NonNullable<Static<typeof PickupSummary>['Motivo']> }),
      Ocurrido: occurred.toISOString(),
      Registrado: at.toISOString(),
    })),
  };
}

export function completeOf(
  pickup: Pickup,
  states?: ReadonlyMap<string, CurrentState>,
): Static<typeof CompletePickup> {
  return {
    ...detailsOf(pickup),
    Detalle: (pickup.guides ?? []).map((SEND_GUIA) => {
      const status = states?.get(SEND_GUIA)?.status;
      return { SEND_GUIA, ...(status && { SEND_ESTATUS: status }) };
    }),
  };
}

/** Returns a pick-up as its creation answered it, also if it has changed since: a repeated request gets the same answer. */
export function asCreated(pickup: Pickup): Static<typeof CompletePickup> {
  const { reason: _, ...rest } = pickup;
  return completeOf({ ...rest, status: 'Solicitada', version: 1, history: pickup.history.slice(0, 1) });
}

export function ofBranch(pickup: Pickup): Static<typeof BranchPickup> {
  return { Cuenta: pickup.account, ...detailsOf(pickup) };
}

const CSV_COLUMNS = [
  ...['Recoleccion', 'Cuenta', 'Desde', 'Hasta', 'Estado', 'Motivo', 'Nombre', 'Telefono', 'Celular'],
  ...['Calle', 'Numero_exterior', 'Numero_interior', 'Colonia', 'Municipio', 'CodigoPostal'],
  ...['Paquetes', 'Peso', 'Manifiesto', 'Guias', 'Notas'],
] as const;

/** Returns a list as a table: its columns, and the cells of each pick-up. */
export function csvOf(pickups: readonly Pickup[]): {
  columns: readonly string[];
  rows: (string | number)[][];
} {
  const rows = pickups.map((pickup) => {
    const { _id, account, window, status, reason, address, packages, weight, manifest, guides, notes } =
      pickup;
    const cells: Readonly<Partial<Record<string, string | number>>> = {
      ...address,
      ...{ Recoleccion: _id, Cuenta: account, Desde: window.from, Hasta: window.to, Estado: status },
      ...{ Motivo: reason ?? '', Paquetes: packages, Peso: weight ?? '', Manifiesto: manifest ?? '' },
      ...{ Guias: guides?.length ?? '', Notas: notes ?? '' },
    };
    return CSV_COLUMNS.map((column) => cells[column] ?? '');
  });
  return { columns: CSV_COLUMNS, rows };
}

/**
 * Makes the payload of a branch's PDF. The order of fields is fixed, because the key of the PDF is a hash of them.
 *
 * @throws DomainError `too-many-pickups`
 */
export function pickupsPayload(
  pickups: readonly Pickup[],
  { branch, date }: { branch: string; date: string },
  { carrier, logo }: LabelSettings,
): PickupsPayload {
  if (pickups.length > MAX_PRINTED) {
    throw new DomainError('too-many-pickups', { params: { count: pickups.length, limit: MAX_PRINTED } });
  }
  return {
    kind: 'pickups',
    number: `${branch} ${date}`,
    carrier,
    ...(logo && { logo }),
    branch: { code: branch, name: pickups[0]?.branch.name ?? branch },
    date,
    pickups: pickups.map(printedOf),
  };
}

function printedOf(pickup: Pickup): PrintedPickup {
  const { _id, window, status, account, address, packages, weight, manifest, notes } = pickup;
  return {
    ...{ number: _id, window: `${window.from}–${window.to}`, status, account },
    ...{ name: address.Nombre, phones: phonesOf(address), ...placeOf(address), packages },
    ...(weight !== undefined && weight !== null && { weight }),
    ...(manifest && { manifest }),
    ...(notes && { notes }),
  };
}

function phonesOf({ Telefono, Celular }: PickupAddress): string {
  return [Celular, Telefono].filter(Boolean).join(' · ');
}

function placeOf(address: PickupAddress): { street: string; town: string } {
  const { Calle, Numero_exterior, Numero_interior, Colonia, CodigoPostal, Municipio, Estado } = address;
  const inside = Numero_interior && `int. ${Numero_interior}`;
  return {
    street: [Calle, Numero_exterior, inside, Colonia].filter(Boolean).join(', '),
    town: [`C. P. ${CodigoPostal}`, Municipio, Estado].filter(Boolean).join(', '),
  };
}
