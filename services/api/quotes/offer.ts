import { type Static, Type } from 'typebox';
import type { Branch } from '#shared/branches/branch.ts';
import { type Guide, MAX_QUOTE_LENGTH, ServiceType } from '#shared/guides/guide.ts';
import { EstimatedDelivery, type Parcel, QuotedPrice } from '#shared/guides/quoted-price.ts';
import { MEASURES, type Shipment } from '../guides/guide-request.ts';
import { toCentavos, toPesos, toUnits } from '../platform/amounts.ts';
import { zonedTime } from '../platform/local-time.ts';
import { describeLine, type PriceLine } from './tariffs/price.ts';

/** A price that binds until it expires, as a token carries it. Amounts in centavos, weights in grams, sides in mm. */
export type Offer = {
  tariff: { version: number; list: string; zone: string };
  /** Codes of the branches. */
  origin: string;
  destination: string;
  parcel: Parcel;
  lines: PriceLine[];
  billedGrams: number;
  volumetricGrams: number;
  /** Dates as `YYYY-MM-DD`, if the parcel is received before a moment, in s since 1970. */
  delivery: { from: string; to: string; receivedBefore: number };
  /** The last second in which it binds, in s since 1970. */
  expires: number;
};

const { Conceptos, Peso, Tarifa } = QuotedPrice.properties;
/** The offer of one service, as the wire has it (docs/contract.md "Quotes"). */
export const QuoteOption = Type.Object(
  {
    TipoServicio: ServiceType,
    Moneda: Type.Literal('MXN'),
    SEND_FLETE: Type.Number({ description: 'Flete menos descuento', examples: [127.8] }),
    SEND_TOTAL: Type.Number({ description: 'La suma de los conceptos, con IVA', examples: [194.3] }),
    ...{ Conceptos, Peso, EntregaEstimada: EstimatedDelivery, Tarifa },
    Cotizacion: Type.String({
      description: `Va en la guía que se crea con este precio; hasta ${MAX_QUOTE_LENGTH} caracteres`,
      examples: ['eyJ0…'],
    }),
    Vence: Type.String({ description: 'Hasta cuándo obliga', examples: ['2026-12-01T23:59:59-06:00'] }),
  },
  { title: 'OpcionDeCotizacion', description: 'El precio de un servicio, que obliga' },
);
export type QuoteOption = Static<typeof QuoteOption>;

/** Writes a moment as SEND_FECHA shows it. */
type WriteTime = (moment: Date) => string;

/** Returns freight less discount, and the sum of all lines, in MXN. */
export function amountsOf({ lines }: Pick<Offer, 'lines'>): { freight: number; total: number } {
  const sum = (some: readonly PriceLine[]) => some.reduce((total, { amount }) => total + amount, 0);
  const isFreight = ({ concept }: PriceLine) => concept === 'flete' || concept === 'descuento';
  return { freight: toPesos(sum(lines.filter(isFreight))), total: toPesos(sum(lines)) };
}

/** Returns what a customer sees of an offer beside its amounts. */
export function quotedPrice(offer: Offer, localTime: WriteTime): Required<QuotedPrice> {
  const { tariff, parcel, lines, delivery, billedGrams, volumetricGrams } = offer;
  return {
    Conceptos: lines.map((line) => ({
      Concepto: line.concept,
      Descripcion: describeLine(line, tariff.zone, parcel.packages),
      Importe: toPesos(line.amount),
    })),
    Peso: {
      Real: parcel.grams / 1_000,
      Volumetrico: volumetricGrams / 1_000,
      Cobrado: billedGrams / 1_000,
      Paquetes: parcel.packages,
    },
    EntregaEstimada: {
      Desde: delivery.from,
      Hasta: delivery.to,
      SiSeRecibeAntesDe: zonedTime(localTime, delivery.receivedBefore * 1_000),
    },
    Tarifa: { Version: tariff.version, Lista: tariff.list, Zona: tariff.zone },
  };
}

/** @param token of the offer. */
export function quoteOption(offer: Offer, token: string, localTime: WriteTime): QuoteOption {
  const { freight, total } = amountsOf(offer);
  return {
    TipoServicio: offer.parcel.service,
    Moneda: 'MXN',
    SEND_FLETE: freight,
    SEND_TOTAL: total,
    ...quotedPrice(offer, localTime),
    Cotizacion: token,
    Vence: zonedTime(localTime, offer.expires * 1_000),
  };
}

/** Both ends of a guide. */
export type Ends = { origin: Branch; destination: Branch };
type Places = Record<keyof Ends, Pick<Branch, 'CodigoPostal'>>;

/**
 * Returns what is priced of a guide. It is delivered at its postal code, or at its branch if it has no postal code or is
 * picked up (docs/tarifas.md "Cómo sale un precio").
 */
export function parcelOf(service: ServiceType, { Destinatario, Producto }: Shipment, ends: Places): Parcel {
  const { Peso, Largo, Alto, Ancho, ValorDeclarado = 0, TipoEnvio = '', Paquetes = 1 } = Producto;
  const home = service === 'Domicilio' ? Destinatario.CodigoPostal : undefined;
  return {
    origin: ends.origin.CodigoPostal,
    destination: home ?? ends.destination.CodigoPostal,
    ...{ service, type: TipoEnvio, packages: Paquetes },
    grams: toUnits(Peso, 1_000),
    sides: sidesInOrder([Largo, Alto, Ancho]),
    declared: toCentavos(ValorDeclarado),
  };
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
