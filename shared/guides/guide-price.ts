import { type Static, Type } from 'typebox';
import type { ServiceType } from '../guides/guide.ts';

/** What is priced: one package of a guide, and how many there are, all alike. */
export type Parcel = {
  /** Postal codes of both ends. */
  origin: string;
  destination: string;
  service: ServiceType;
  /** `TipoEnvio` as it was sent; empty if it was not. */
  type: string;
  packages: number;
  grams: number;
  /** Sides in millimetres, ascending. */
  sides: readonly [number, number, number];
  /** Declared value of the guide, in centavos. */
  declared: number;
  /** What is collected on delivery of the guide, in centavos; absent if nothing is. */
  cod?: number;
};

const EstimatedDelivery = Type.Object(
  {
    Desde: Type.String({ description: 'Primer día posible', examples: ['2026-11-26'] }),
    Hasta: Type.String({ description: 'Último día', examples: ['2026-11-27'] }),
    SiSeRecibeAntesDe: Type.String({ examples: ['2026-11-24T17:00:00-06:00'] }),
  },
  { title: 'EntregaEstimada', description: 'Cuándo llega, en días hábiles' },
);

/** The fields in which a guide shows the price of its quote, on the wire and in MongoDB (docs/contract.md "Quotes"). */
export const PriceFields = Type.Object({
  Conceptos: Type.Array(
    Type.Object(
      {
        Concepto: Type.String({ examples: ['flete'] }),
        Descripcion: Type.String({ description: 'Cómo se calculó', examples: ['Zona 3, hasta 5 kg'] }),
        Importe: Type.Number({ description: 'MXN; el descuento es negativo', examples: [142] }),
      },
      { title: 'Concepto', description: 'Una línea del precio' },
    ),
    { description: 'Todas las líneas; su suma es SEND_TOTAL' },
  ),
  Peso: Type.Object(
    {
      Real: Type.Number({ description: 'De un paquete, en kg', examples: [2.5] }),
      Volumetrico: Type.Number({ description: 'De un paquete, en kg', examples: [1.8] }),
      Cobrado: Type.Number({ description: 'El mayor de los dos, hasta el siguiente escalón', examples: [3] }),
      Paquetes: Type.Integer({ examples: [1] }),
    },
    { title: 'PesoCobrado', description: 'Qué peso se cobra' },
  ),
  EntregaEstimada: Type.Optional(EstimatedDelivery),
  Tarifa: Type.Object(
    {
      Version: Type.Integer({ examples: [12] }),
      Lista: Type.String({ examples: ['publica'] }),
      Zona: Type.String({ examples: ['3'] }),
    },
    { title: 'Tarifa', description: 'Con qué tarifa se calculó' },
  ),
});

/** What a guide keeps of the quote with which it was created, amounts in MXN. */
export type GuidePrice = {
  /** Freight less discount. */
  freight: number;
  /** The sum of all lines. */
  total: number;
  quote: Static<typeof PriceFields>;
  /** What was priced, and for which account, so that it can be priced again. */
  priced: { account: string; parcel: Parcel };
};

/**
 * Why a guide without a quote has no price either: no tariff was in force at its creation, or this process could not read
 * it; a measure is missing; or a reason of the tariff. No reason tells a postal code, so that it may be kept for ever.
 */
export const NO_PRICE_REASONS = [
  ...(['no-tariff', 'tariff-unread', 'no-measures'] as const),
  ...(['too-heavy', 'too-long', 'no-group', 'no-price'] as const),
] as const;
export type NoPriceReason = (typeof NO_PRICE_REASONS)[number];

/** The reasons in words, for customers and operators. */
export const NO_PRICE_WORDS: Readonly<Record<NoPriceReason, string>> = {
  'no-tariff': 'no había una tarifa en vigor',
  'tariff-unread': 'la tarifa en vigor no se pudo leer',
  'no-measures': 'falta el peso o una medida',
  'too-heavy': 'el paquete pesa más de lo que la tarifa admite',
  'too-long': 'un lado mide más de lo que la tarifa admite',
  'no-group': 'el código postal de origen o el de destino no tiene zona',
  'no-price': 'la tarifa no tiene precio para ese servicio y esa zona',
};

/**
 * What a guide without a quote costs by the tariff in force at its creation, for the bill alone: the wire says 0. `version` of
 * that tariff, `total` in centavos.
 */
export type UnquotedPrice = { version: number; total: number } | WithoutPrice;
export type WithoutPrice = { version?: number; noPrice: NoPriceReason };

/** What is priced of a guide that may lack measures; a weighing may bring them. */
export type UnmeasuredParcel = Omit<Parcel, 'grams' | 'sides'> & Partial<Pick<Parcel, 'grams' | 'sides'>>;

/** What a guide without a quote keeps for its bill. Without a known tariff nothing can be priced later. */
export type WithoutQuote = {
  freight: 0;
  total: 0;
  /** `warned`: the answer to its creation tells that the price is missing, by what was set for its account at that moment. */
  unquoted: UnquotedPrice & { warned?: true };
  priced: { account: string; parcel: UnmeasuredParcel };
};
