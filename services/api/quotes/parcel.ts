import type { Branch } from '#shared/branches/branch.ts';
import type { Guide, ServiceType } from '#shared/guides/guide.ts';
import type { Parcel, UnmeasuredParcel } from '#shared/guides/guide-price.ts';
import { MEASURES, type Shipment } from '../guides/guide-request.ts';
import type { GuideDestination } from '../guides/resolve-branches.ts';
import { toCentavos, toUnits } from '../platform/amounts.ts';

/** Both ends of a guide. */
export type Ends = { origin: Branch; destination: GuideDestination };
type Located = Pick<Branch, 'CodigoPostal'>;
type Places = { origin: Located; destination: { branch: Located; homePostalCode: string } };

/**
 * Returns what is priced of a guide. It is delivered at home, or at its branch if it is picked up (docs/tarifas.md "Cómo
 * sale un precio").
 */
export function parcelOf(
  service: ServiceType,
  { Producto, Cobro }: Pick<Shipment, 'Producto' | 'Cobro'>,
  { origin, destination }: Places,
): Parcel {
  const { Peso, Largo, Alto, Ancho, ValorDeclarado = 0, TipoEnvio = '', Paquetes = 1 } = Producto;
  return {
    origin: origin.CodigoPostal,
    destination: service === 'Domicilio' ? destination.homePostalCode : destination.branch.CodigoPostal,
    ...{ service, type: TipoEnvio, packages: Paquetes },
    grams: toUnits(Peso, 1_000),
    sides: sidesInOrder([Largo, Alto, Ancho]),
    declared: toCentavos(ValorDeclarado),
    ...(Cobro && { cod: toCentavos(Cobro.Monto) }),
  };
}

/** Returns the same of a guide that may lack measures. Two sides of three price nothing, and are left out. */
export function unmeasuredParcelOf(service: ServiceType, guide: Guide, ends: Places): UnmeasuredParcel {
  const { grams, sides, ...parcel } = parcelOf(service, guide as Shipment, ends);
  const missing = missingMeasures(guide);
  const hasWeight = !missing.includes('Peso');
  const hasSides = missing.length === (hasWeight ? 0 : 1);
  return { ...parcel, ...(hasWeight && { grams }), ...(hasSides && { sides }) };
}

export function isMeasured(parcel: UnmeasuredParcel): parcel is Parcel {
  return parcel.grams !== undefined && parcel.sides !== undefined;
}

/** Returns the field that names the place where a guide is delivered. @param priced the postal code of that place. */
export function placeField({ CodigoPostal, DestinoCode }: Shipment['Destinatario'], priced: string): string {
  const isOfBranch = DestinoCode !== undefined && CodigoPostal !== priced;
  return isOfBranch ? 'Destinatario.DestinoCode' : 'Destinatario.CodigoPostal';
}

/** Returns sides in millimetres, ascending. @param sides in centimetres. */
export function sidesInOrder(sides: [number, number, number]): Parcel['sides'] {
  const millimetres = sides.map((side) => toUnits(side, 10));
  return millimetres.toSorted((one, other) => one - other) as [number, number, number];
}

/** Returns the measures that a price needs and a guide lacks. */
export function missingMeasures({ Producto }: Pick<Guide, 'Producto'>): (typeof MEASURES)[number][] {
  return MEASURES.filter((name) => Producto[name] === undefined);
}
