import { type Static, Type } from 'typebox';
import { EVENT_TYPE_NAMES, typesWith } from '../guides/event-types.ts';
import { GUIDE_NUMBER, kindsIn, MAX_CENTIMETRES, MAX_KILOGRAMS, SENT } from '../guides/guide.ts';
import { REASON_NAMES } from './reasons.ts';

/**
 * The schema of an event of a guide (docs/contract.md "Events"). It validates requests and files, and types and
 * documents events.
 */

/** Most events in one request. */
export const MAX_EVENTS = 500;
/** Most events of a guide. They are enough for 99 packages, and few enough to be read at each further event. */
export const MAX_EVENTS_OF_GUIDE = 2_000;
/** The clocks of a scanner and of a service may differ by this much, in ms. */
export const CLOCKS_DIFFER_MS = 600_000;

/** Largest amount of an event, in MXN. A fact is told also if it is more than the guide says. */
const MAX_TAKEN = 999_999.99;

const ID = '^[A-Za-z0-9._-]{1,64}$';
const ID_RULE = 'admite de 1 a 64 de A-Z, a-z, 0-9, punto, guion y guion bajo';
const matching = (pattern: string, rule: string, description: string, example: string) =>
  Type.String({ pattern, description, examples: [example], 'x-regla': rule });
const oneOf = <V extends string>(values: readonly V[], description: string) =>
  Type.Enum([...values], {
    type: 'string',
    description,
    examples: [values[0]],
    'x-regla': `debe ser uno de: ${values.join(', ')}`,
  });
// Of a weighing, 0 does not mean absent.
const { section, text, packages, measure, money, meansOfPayment } = kindsIn({
  ...SENT,
  measure: { exclusiveMinimum: 0 },
});
const weighed = `solo con ${typesWith('Peso').join(' y ')}`;

/** Stored events always have an `Id`, and `Ocurrido` in UTC. */
export const Event = section(
  {
    Guia: matching(GUIDE_NUMBER, 'debe ser un numero de guia', 'Número de guía', '390458235877'),
    Tipo: oneOf(EVENT_TYPE_NAMES, 'Qué pasó'),
    Ocurrido: Type.String({
      format: 'date-time',
      maxLength: 40,
      description:
        'Cuándo, con zona (RFC 3339); hasta 10 minutos adelante, y hasta 10 minutos antes que la guía',
      examples: ['2026-11-21T10:30:00-06:00'],
      'x-regla': 'debe ser una fecha y hora con zona (RFC 3339)',
    }),
    Id: Type.Optional(
      matching(ID, ID_RULE, 'Lo pone quien escanea; si falta, sale del contenido', 'MTY01-000123'),
    ),
    Paquete: Type.Optional(packages('Cuál paquete de la guía; todos si falta')),
    Sucursal: Type.Optional(
      matching(
        '^[A-Z0-9]{2,20}$',
        'debe tener de 2 a 20 letras A-Z o digitos',
        'Código de la sucursal',
        'MTY01',
      ),
    ),
    Motivo: Type.Optional(
      oneOf(REASON_NAMES, `Obligatorio con ${typesWith('Motivo').join(' y ')}, y solo con ellos`),
    ),
    Anula: Type.Optional(
      matching(
        ID,
        ID_RULE,
        'Id del evento de la misma guía que fue un error; obligatorio con Anulacion, y solo con ella',
        'MTY01-000122',
      ),
    ),
    Recibe: Type.Optional(
      text(60, `Quién recibió; solo con ${typesWith('Recibe').join(' y ')}`, 'Luis Pérez'),
    ),
    Cobrado: Type.Optional(
      section(
        {
          Monto: money(MAX_TAKEN, 'Lo que pagó quien recibió, en MXN'),
          Medio: meansOfPayment('Con qué pagó'),
        },
        `Lo que se cobró al entregar; solo con ${typesWith('Cobrado').join(' y ')}`,
        { title: 'Cobrado' },
      ),
    ),
    Peso: Type.Optional(
      measure(MAX_KILOGRAMS, 'kg', `Lo que pesa cada paquete; obligatorio y ${weighed}`, 3.4),
    ),
    Largo: Type.Optional(
      measure(MAX_CENTIMETRES, 'cm', `Largo medido; ${weighed}, los tres lados o ninguno`, 32),
    ),
    Alto: Type.Optional(measure(MAX_CENTIMETRES, 'cm', `Alto medido; ${weighed}`, 22)),
    Ancho: Type.Optional(measure(MAX_CENTIMETRES, 'cm', `Ancho medido; ${weighed}`, 15)),
    Nota: Type.Optional(text(200, 'Para el personal del transportista', 'Entregado en recepción')),
  },
  'Un evento de una guía',
);
export type Event = Static<typeof Event>;
