import { type Static, Type } from 'typebox';
import { Route } from '#shared/branches/branch.ts';
import { GUIDE_STATUSES } from '#shared/guides/event-types.ts';
import { MAX_GUIDES, ServiceType } from '#shared/guides/guide.ts';

/** Manifests as answers show them (docs/contract.md "Manifests"), with examples. */

const head = {
  Manifiesto: Type.String({
    description: 'Número del manifiesto: M y once dígitos',
    examples: ['M48291365074'],
  }),
  Fecha: Type.String({
    description: 'Fecha y hora local, ISO 8601 sin zona',
    examples: ['2026-11-21T18:05:10'],
  }),
  SEND_SUCU_ORIG: Type.String({ description: 'Sucursal de origen de sus guías', examples: ['MEX01'] }),
  Guias: Type.Integer({ description: 'Cuántas guías tiene', examples: [2] }),
  Paquetes: Type.Integer({ description: 'Cuántos paquetes tienen', examples: [3] }),
  Peso: Type.Number({ description: 'Cuánto pesan, en kg, las guías que dicen su peso', examples: [7.5] }),
  Cobro: Type.Optional(
    Type.Number({
      description: 'MXN, lo que se cobra al entregar sus guías; falta si nada',
      examples: [450.5],
    }),
  ),
  Prueba: Type.Optional(Type.Literal(true, { description: 'Si es de una cuenta de prueba' })),
};
export const ManifestSummary = Type.Object(head, {
  title: 'Manifiesto',
  description: 'Un manifiesto, como sale en la lista',
});
const ListedGuide = Type.Object(
  {
    SEND_GUIA: Type.String({ description: 'Número de guía', examples: ['390458235877'] }),
    TipoServicio: ServiceType,
    SEND_SUCU_DEST: Type.String({ description: 'Sucursal de destino', examples: ['MTY01'] }),
    Ruta: Type.Optional({
      ...Route,
      description: 'La de la guía; falta donde no hay, y al crear el manifiesto',
    }),
    Paquetes: Type.Integer({ examples: [1] }),
    Peso: Type.Optional(
      Type.Number({
        description: 'De todos sus paquetes, en kg; falta si la guía no lo dice',
        examples: [2.5],
      }),
    ),
    Cobro: Type.Optional(
      Type.Number({ description: 'MXN, lo que se cobra al entregarla; falta si nada', examples: [450.5] }),
    ),
    SEND_ESTATUS: Type.Optional(
      Type.Enum([...GUIDE_STATUSES], {
        type: 'string',
        description: 'El de ahora, también Cancelado; no viene al crear el manifiesto',
      }),
    ),
  },
  { title: 'GuiaDeManifiesto', description: 'Una guía de un manifiesto' },
);
export const CompleteManifest = Type.Object(
  {
    ...head,
    QuedanGuias: Type.Optional(
      Type.Literal(true, {
        description: `Si sin \`Guias\` había más de ${MAX_GUIDES}: las demás van en otro manifiesto`,
      }),
    ),
    Canceladas: Type.Optional(
      Type.Integer({ description: 'Cuántas de sus guías se cancelaron después; no viene al crearlo' }),
    ),
    Detalle: Type.Array(ListedGuide, { description: 'Sus guías; la lista no cambia' }),
  },
  { title: 'ManifiestoCompleto', description: 'Un manifiesto con sus guías' },
);

export const MANIFEST_EXAMPLE = {
  Manifiesto: 'M48291365074',
  Fecha: '2026-11-21T18:05:10',
  SEND_SUCU_ORIG: 'MEX01',
  ...{ Guias: 2, Paquetes: 3, Peso: 7.5 },
};
export const LISTED_EXAMPLES = [
  { SEND_GUIA: '390458235877', TipoServicio: 'Domicilio', SEND_SUCU_DEST: 'MTY01', Paquetes: 1, Peso: 2.5 },
  { SEND_GUIA: '482913650724', TipoServicio: 'the service', SEND_SUCU_DEST: 'GDL01', Paquetes: 2, Peso: 5 },
] as const satisfies Static<typeof ListedGuide>[];
