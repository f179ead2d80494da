import { type Branch, branchCode } from '#shared/branches/branch.ts';
import type { DomainError } from '#shared/errors/domain-error.ts';
import { ANONYMOUS, type Guide, type SentGuide, type ServiceType } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { GuideDestination } from '../guides/resolve-branches.ts';
import { fieldError } from '../http/body.ts';
import { originalOf } from './return-facts.ts';
import type { ReturnRequest } from './return-request.ts';

/** From where, to where and how a return goes (docs/contract.md "Returns"). Nothing here asks a store. */

/** What the branches service is asked. */
export type Lookups = {
  /** Returns an active branch, whether parcels may begin there or not. */
  active(code: string): Promise<Branch | undefined>;
  /** Returns the branch where a guide to this place ends. */
  destination(
    query: { code: string } | { postalCode: string },
  ): Promise<{ branch: Branch; route?: string | undefined } | undefined>;
};

export type ReturnPlan = {
  service: ServiceType;
  origin: Branch;
  destination: GuideDestination;
  guide: SentGuide;
};

const PERSON = ['Nombre', 'Telefono', 'Celular', 'Email'] as const;
const ADDRESS = [
  ...(['Calle', 'Numero_exterior', 'Numero_interior', 'Colonia'] as const),
  ...(['CodigoPostal', 'Municipio', 'Estado'] as const),
] as const;

/** Returns why a guide has no return now; undefined if it may have one. */
export function refusalOf(original: GuideDocument, { Anticipada }: ReturnRequest): DomainError | undefined {
  const { status, guide, anonymised } = original;
  if (originalOf(original) !== undefined) return fieldError('guia', 'return-of-return');
  if (status === 'Cancelado') return fieldError('guia', 'guide-cancelled');
  const isNamed = anonymised === undefined && guide.Remitente.Nombre !== ANONYMOUS;
  if (!isNamed) return fieldError('guia', 'guide-anonymised');
  const mayCome = Anticipada === true && status !== 'Devuelto';
  return status === 'Entregado' || mayCome ? undefined : fieldError('guia', 'guide-not-delivered');
}

/**
 * Plans the return of a guide: from the branch where the original ended, to its sender.
 *
 * @throws DomainError that names the field that would help.
 */
export async function planReturn(
  original: GuideDocument,
  request: ReturnRequest,
  lookups: Lookups,
): Promise<ReturnPlan> {
  const { Remitente: sender, Destinatario: recipient } = original.guide;
  const [origin, end] = await Promise.all([originOf(original, lookups), endOf(original, request, lookups)]);
  if (!origin) throw fieldError('guia', 'return-without-origin');
  const goods = { ...original.guide.Producto, ...request.Producto };
  const packages = original.guide.Producto.Paquetes ?? 1;
  if ((goods.Paquetes ?? 1) > packages) {
    const rule = `debe ser un numero entero de 1 a ${packages}: la guia original no tiene mas`;
    throw fieldError('Producto.Paquetes', 'field-invalid', { rule });
  }
  const { service, code, ...destination } = end;
  return {
    service,
    origin,
    destination,
    guide: {
      Remitente: request.Remitente ?? picked(recipient, [...PERSON, ...ADDRESS]),
      Destinatario: {
        ...picked(sender, [...PERSON, ...(service === 'Domicilio' ? ADDRESS : [])]),
        ...(code !== undefined && { DestinoCode: code }),
      },
      Producto: goods,
      Creado_por: {},
      ...(original.guide.Referencia !== undefined && { Referencia: original.guide.Referencia }),
      ...(request.Cotizacion !== undefined && { Cotizacion: request.Cotizacion }),
    },
  };
}

/** The branch where the original ended need not take parcels of its own. If it has closed, the one that covers the recipient. */
async function originOf(original: GuideDocument, lookups: Lookups): Promise<Branch | undefined> {
  const branch = await lookups.active(original.destination.code);
  if (branch) return branch;
  const { CodigoPostal } = original.guide.Destinatario;
  if (CodigoPostal === undefined) return undefined;
  return (await lookups.destination({ postalCode: CodigoPostal }))?.branch;
}

/** `code`: of a branch that is named, in place of an address. */
type End = GuideDestination & { service: ServiceType; code?: string };

/**
 * A branch that is named; else the sender's door, if the address has a street and a covered postal code; else the branch from which
 * the original came, if guides may end there.
 */
async function endOf(
  { guide: { Remitente }, origin }: GuideDocument,
  { DestinoCode, TipoServicio }: ReturnRequest,
  lookups: Lookups,
): Promise<End> {
  if (DestinoCode !== undefined) {
    const found = await lookups.destination({ code: branchCode(DestinoCode) });
    if (!found) throw fieldError('DestinoCode', 'destination-invalid');
    if (TipoServicio !== 'Domicilio') return pickUpAt(found.branch);
    const door = await doorOf(Remitente, lookups);
    if (door?.branch.Codigo !== found.branch.Codigo)
      throw fieldError('DestinoCode', 'return-without-address');
    return { ...door, code: found.branch.Codigo };
  }
  const door = await doorOf(Remitente, lookups);
  if (door) return TipoServicio === 'the service' ? pickUpAt(door.branch) : door;
  if (TipoServicio === 'Domicilio') throw fieldError('DestinoCode', 'return-without-address');
  const found = await lookups.destination({ code: origin.code });
  if (!found) throw fieldError('DestinoCode', 'return-without-destination');
  return pickUpAt(found.branch);
}

function pickUpAt(branch: Branch): End {
  return { service: 'the service', branch, homePostalCode: branch.CodigoPostal, code: branch.Codigo };
}

async function doorOf(
  { Calle, CodigoPostal }: Guide['Remitente'],
  lookups: Lookups,
): Promise<End | undefined> {
  if (Calle === undefined || CodigoPostal === undefined) return undefined;
  const found = await lookups.destination({ postalCode: CodigoPostal });
  if (!found) return undefined;
  return { service: 'Domicilio', branch: found.branch, route: found.route, homePostalCode: CodigoPostal };
}

/** Returns the fields of these names that a part of a guide has. */
function picked<P extends object, N extends keyof P>(part: P, names: readonly N[]): Pick<P, N> {
  return Object.fromEntries(
    names.flatMap((name) => (part[name] === undefined ? [] : [[name, part[name]]])),
  ) as Pick<P, N>;
}
