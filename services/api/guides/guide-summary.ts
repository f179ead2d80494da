import { type Static, type TSchema, Type } from 'typebox';
import { Route } from '#shared/branches/branch.ts';
import { GUIDE_STATUSES } from '#shared/guides/event-types.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';

/** The ways to the values of a record, with dots. */
type PathOf<T> = {
  [N in keyof T & string]-?: NonNullable<T[N]> extends Date | string | number
    ? N
    : `${N}.${PathOf<NonNullable<T[N]>>}`;
}[keyof T & string];

/**
 * What the answer to a creation and the list show of a guide (docs/contract.md "Guides"): each field with the place of its
 * value in the record. The query of a list, the answers and their documentation are made from this table, so a further field
 * is one more line.
 */
const FIELDS = {
  SEND_GUIA: {
    from: '_id',
    schema: Type.String({ description: 'Número de guía', examples: ['390458235877'] }),
  },
  SEND_SUCU_ORIG: {
    from: 'origin.code',
    schema: Type.String({ description: 'Sucursal de origen', examples: ['MEX01'] }),
  },
  SEND_SUCU_DEST: {
    from: 'destination.code',
    schema: Type.String({ description: 'Sucursal de destino', examples: ['MTY01'] }),
  },
  Ruta: { from: 'route', schema: Type.Optional(Route) },
  SEND_ESTATUS: {
    from: 'status',
    schema: Type.String({
      description: `${GUIDE_STATUSES.slice(0, -1).join(', ')} o Cancelado`,
      examples: ['Documentado'],
    }),
  },
  SEND_FECHA: {
    from: 'createdAt',
    schema: Type.String({
      description: 'Fecha y hora local, ISO 8601 sin zona',
      examples: ['2026-11-21T05:05:10'],
    }),
  },
  SEND_REMITENTE: { from: 'guide.Remitente.Nombre', schema: Type.String({ examples: ['Ana López'] }) },
  SEND_DESTINATARIO: { from: 'guide.Destinatario.Nombre', schema: Type.String({ examples: ['Luis Pérez'] }) },
  SEND_FLETE: {
    from: 'freight',
    schema: Type.Number({
      description: 'MXN; lo cotizado, con `Cotizacion` o al crear; si no, 0',
      examples: [0],
    }),
  },
  SEND_TOTAL: {
    from: 'total',
    schema: Type.Number({
      description: 'MXN; lo cotizado, con `Cotizacion` o al crear; si no, 0',
      examples: [0],
    }),
  },
  Referencia: {
    from: 'guide.Referencia',
    schema: Type.Optional(
      Type.String({
        description: 'La del cliente; falta donde la guía no la tiene',
        examples: ['PEDIDO-1042'],
      }),
    ),
  },
} as const satisfies Record<string, { from: PathOf<Omit<GuideDocument, 'facts'>>; schema: TSchema }>;

const Prueba = Type.Optional(Type.Literal(true, { description: 'Si es de una cuenta de prueba' }));
type Schemas = { [Name in keyof typeof FIELDS]: (typeof FIELDS)[Name]['schema'] };

export const GuideSummary = Type.Object(
  {
    ...(Object.fromEntries(Object.entries(FIELDS).map(([name, { schema }]) => [name, schema])) as Schemas),
    Prueba,
  },
  { title: 'GuiaCreada', description: 'Una guía, como la devuelve su creación' },
);
export type GuideSummary = Static<typeof GuideSummary>;

const PATHS = Object.entries(FIELDS).map(([name, { from }]) => [name, from.split('.')] as const);

/** What a query reads of each guide, so that a summary can be made of it. */
export const SUMMARY_PROJECTION = {
  ...Object.fromEntries(Object.values(FIELDS).map(({ from }) => [from, 1 as const])),
  facts: 1 as const,
};

/**
 * Returns what the answer to a creation and the list show of a guide, with what rooms say of it; fields that the guide lacks are
 * absent.
 */
export function summaryOf(guide: Pick<GuideDocument, '_id' | 'facts'>): GuideSummary {
  const summary: Record<string, unknown> = {};
  for (const [name, path] of PATHS) {
    const value = path.reduce<unknown>(
      (part, key) => (part as Record<string, unknown> | undefined)?.[key],
      guide,
    );
    if (value !== undefined) summary[name] = value;
  }
  if (isTestNumber(guide._id)) summary.Prueba = true;
  return { ...guide.facts, ...summary } as GuideSummary;
}
