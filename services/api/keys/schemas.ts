import { Type } from 'typebox';
import { MAX_KEYS } from '#shared/keys/key-model.ts';
import { PERMISSIONS } from '#shared/rooms.ts';
import { MAX_NAME } from './key.ts';

/** Longest life of a key with an end. A later one was mistyped, and a year of five digits is no RFC 3339. */
export const MAX_YEARS = 10;

/** Keys as requests and answers show them (docs/contract.md "Keys"), with examples. */

export const MOMENT_RULE = 'debe ser una fecha y hora con zona (RFC 3339)';

export const NewKeyRequest = Type.Object(
  {
    Nombre: Type.String({
      minLength: 1,
      maxLength: MAX_NAME,
      description: 'Para qué es; otra persona debe poder saber si aún se usa',
      examples: ['tienda-produccion'],
    }),
    Permisos: Type.Optional(
      Type.Array(
        Type.Enum([...PERMISSIONS], {
          type: 'string',
          'x-regla': `debe ser uno de: ${PERMISSIONS.join(', ')}`,
        }),
        {
          minItems: 1,
          maxItems: PERMISSIONS.length,
          description: 'Lo único que puede, de lo que su usuario puede; todo eso si falta',
          examples: [['guias.create', 'guias.read']],
          'x-regla': `admite de 1 a ${PERMISSIONS.length} permisos`,
          'x-no-vacio': true,
        },
      ),
    ),
    Vence: Type.Optional(
      Type.String({
        format: 'date-time',
        description: `Hasta cuándo vale, con zona (RFC 3339), dentro de ${MAX_YEARS} años; sin fin si falta`,
        examples: ['2027-11-21T18:00:00Z'],
        'x-regla': MOMENT_RULE,
        'x-no-vacio': true,
      }),
    ),
  },
  {
    title: 'SolicitudDeLlave',
    additionalProperties: false,
    'x-examples': {
      todo: { summary: 'Puede lo que su usuario', value: { Nombre: 'tienda-produccion' } },
      parte: {
        summary: 'Puede solo crear y leer guías, hasta un día',
        value: {
          Nombre: 'tienda-produccion',
          Permisos: ['guias.create', 'guias.read'],
          Vence: '2027-11-21T18:00:00Z',
        },
      },
    },
  },
);

const MOMENT = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
const STATE = {
  Id: Type.String(),
  Nombre: Type.String(),
  Inicio: Type.String({ description: 'Cómo empieza la llave' }),
  Permisos: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Lo único que puede, de lo que su usuario puede; null si es todo eso',
  }),
  Creada: Type.String({ format: 'date-time' }),
  Vence: MOMENT,
  UltimoUso: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
    description: 'El día, en UTC; null si no se ha usado',
  }),
};
export const KeyAnswer = Type.Object(STATE, { title: 'Llave', description: 'Una llave del usuario' });
export const CreatedKey = Type.Object(
  { ...STATE, Llave: Type.String({ description: 'La llave. Se muestra esta única vez' }) },
  { title: 'LlaveCreada', description: `Una llave nueva; un usuario tiene hasta ${MAX_KEYS}` },
);
export const KEY_EXAMPLE = {
  Id: '7d3f7f3c-6a54-4ef8-9a3a-0f4f7f3f5b51',
  Nombre: 'tienda-produccion',
  Inicio: 'gk_live_q3Vx',
  Permisos: ['guias.create', 'guias.read'],
  Creada: '2026-11-21T18:00:00.000Z',
  Vence: null,
  UltimoUso: '2026-11-22',
};
