import { Type } from 'typebox';
import { NOTICE_STATES, OUTCOMES } from '#shared/notices/notice-model.ts';

/** Notices as requests and answers show them (docs/contract.md "Notices"), with examples. */

const Estatus = Type.Array(
  Type.Enum([...NOTICE_STATES], {
    type: 'string',
    'x-regla': `debe ser uno de: ${NOTICE_STATES.join(', ')}`,
  }),
  {
    minItems: 1,
    maxItems: NOTICE_STATES.length,
    description: 'De qué estados se avisa; todos si falta. `EnSucursal` solo cuando espera a que lo recojan',
    examples: [['EnReparto', 'EnSucursal', 'Entregado']],
    'x-regla': `admite de 1 a ${NOTICE_STATES.length} estados`,
  },
);

export const NoticeChoice = Type.Object(
  {
    Activo: Type.Boolean({
      description: 'Si se avisa a los destinatarios. Con `true`, la cuenta dice que puede',
    }),
    Estatus: Type.Optional(Estatus),
  },
  {
    title: 'SolicitudDeAvisos',
    additionalProperties: false,
    'x-examples': {
      todos: { summary: 'De todos los estados', value: { Activo: true } },
      algunos: {
        summary: 'De algunos',
        value: { Activo: true, Estatus: ['EnReparto', 'EnSucursal', 'Entregado'] },
      },
      ninguno: { summary: 'De ninguno', value: { Activo: false } },
    },
  },
);

export const NoticeSettings = Type.Object(
  {
    Disponible: Type.Boolean({ description: 'Si este servicio manda avisos' }),
    Activo: Type.Boolean(),
    Estatus: Type.Array(Type.String()),
    PuestoPor: Type.Union([Type.String(), Type.Null()], {
      description: 'El usuario que lo dijo; `null` si nadie ha dicho nada',
    }),
    Puesto: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'Avisos' },
);
export const SETTINGS_EXAMPLE = {
  ...{ Disponible: true, Activo: true, Estatus: ['EnReparto', 'EnSucursal', 'Entregado'] },
  ...{ PuestoPor: 'tienda', Puesto: '2026-11-29T16:20:00.000Z' },
};

/** A notice that waits, and one of which nobody knows whether it was sent. */
export const PENDING = 'pendiente';
export const UNKNOWN = 'sin_respuesta';

export const GuideNotice = Type.Object(
  {
    Estatus: Type.String({ description: 'El estado del que avisa' }),
    Ocurrido: Type.String({ format: 'date-time' }),
    Resultado: Type.String({
      description: `Uno de ${[PENDING, UNKNOWN, ...Object.values(OUTCOMES)].join(', ')}; puede haber más`,
    }),
    Intentado: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'El último intento',
    }),
    Respuesta: Type.Optional(
      Type.Integer({ description: 'El código de SMTP con que el servidor de correo lo rechazó' }),
    ),
  },
  { title: 'AvisoDeGuia' },
);
export const GUIDE_NOTICE_EXAMPLE = {
  ...{ Estatus: 'EnReparto', Ocurrido: '2026-11-29T15:02:11.000Z' },
  ...{ Resultado: 'enviado', Intentado: '2026-11-29T15:02:14.108Z' },
};
