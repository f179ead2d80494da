import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { Adjustment } from '#shared/contracts/adjustment.ts';
import { Branch } from '#shared/contracts/branch.ts';
import { Event, MAX_EVENTS, REASON_NAMES } from '#shared/contracts/event.ts';
import { EVENT_TYPE_NAMES, FEED_TYPE_NAMES, GUIDE_STATUSES } from '#shared/contracts/event-types.ts';
import { MAX_GUIDES, SentGuide, ServiceType } from '#shared/contracts/guide.ts';
import { QuotedPrice } from '#shared/contracts/quoted-price.ts';
import { MAX_PROBLEMS } from '#shared/errors/domain-error.ts';
import { type ApiErrorCode, codigosOf, httpErrors } from '../errors.ts';
import { SCENARIO_NAMES } from '../guides/events/scenarios.ts';
import { GuideSummary } from '../guides/guide-summary.ts';
import { MEASURES } from '../requests/guide-request.ts';
import { CURSOR_RULE, GUIDE_RULE, MOMENT_RULE } from '../requests/parameter-rules.ts';
import { EVENTS_EXAMPLES, GUIDE_EXAMPLES, QUOTE_EXAMPLES } from './examples.ts';

/**
 * Schemas of several routes; a `title` is the name in the OpenAPI document (`document.ts`). Fastify writes answers by
 * them, so nothing undocumented leaves.
 */

/** Every error code. Not an `enum`: later releases add codes, and older clients must read them. */
const Codigo = Type.String({
  description: 'Código estable, para programas: el texto de message puede pulirse, el código no',
  'x-extensible-enum': [
    ...new Set((Object.keys(httpErrors) as ApiErrorCode[]).flatMap(codigosOf)),
  ].toSorted(),
});

/** The `data` of answers without any. Generators of clients fail over the bare type `null`. */
export const Nothing = Type.Unsafe<null>({ type: ['object', 'null'], description: 'Siempre null' });

export const GuideParams = Type.Object({
  guia: Type.String({
    description: 'Número de guía (SEND_GUIA)',
    examples: ['390458235877'],
    'x-regla': GUIDE_RULE,
  }),
});

function momentParameter(description: string) {
  return Type.Optional(
    Type.String({
      maxLength: 19,
      description,
      examples: ['2026-11-21', '2026-11-21T05:05:10'],
      'x-regla': MOMENT_RULE,
    }),
  );
}

/** The parameters of a list's period. */
export const periodParameters = {
  desde: momentParameter('Fecha, o fecha y hora, local; inclusive'),
  hasta: momentParameter('Fecha, o fecha y hora, local; exclusive, pero una fecha sola es el día entero'),
};

/** The parameters of a page. @param what the pages have, in Spanish. */
export function pageParameters(what: string, max: number, usual: number) {
  return {
    limite: Type.Optional(
      Type.Integer({ minimum: 1, maximum: max, description: `${what} por página; ${usual} si falta` }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'El `siguiente` de la página anterior',
        'x-regla': CURSOR_RULE,
      }),
    ),
  };
}

/** The cursor that stands beside the data of a page. */
export const NextCursor = Type.Optional(
  Type.Union([Type.String(), Type.Null()], {
    description: 'Cursor de la página que sigue; null si no hay más',
  }),
);

export const Problem = Type.Object(
  {
    indice: Type.Optional(Type.Integer({ description: 'Posición en el array de la solicitud, desde 0' })),
    campo: Type.Optional(Type.String({ description: 'Ruta del campo, con puntos, o nombre del parámetro' })),
    codigo: Codigo,
    message: Type.String(),
    regla: Type.Optional(Type.String({ description: 'De un parámetro: qué admite, o cuál se quiso decir' })),
  },
  { title: 'Problema', description: 'Un problema de la solicitud, y dónde está' },
);

export const ErrorAnswer = Type.Object(
  {
    response: Type.Literal('ERROR'),
    message: Type.String({ description: 'El primer problema, con el texto de la especificación' }),
    codigo: Codigo,
    details: Type.Optional(
      Type.Array(Problem, { maxItems: MAX_PROBLEMS, description: `Los problemas, hasta ${MAX_PROBLEMS}` }),
    ),
    detailsTotal: Type.Optional(
      Type.Integer({ description: `Cuántos problemas hay, donde son más de ${MAX_PROBLEMS}` }),
    ),
    requestId: Type.String({ description: 'El mismo que X-Request-Id' }),
  },
  { title: 'RespuestaError', description: 'Todo error tiene esta forma' },
);

/**
 * Describes a field for clients and generators. They do not know our format `texto`, and some cannot read `\u` in a
 * pattern.
 */
function describeField({ pattern, format, ...field }: TSchema & { pattern?: string; format?: string }) {
  const portable = pattern !== undefined && !pattern.includes('\\u');
  return { ...field, ...(portable && { pattern }), ...(format !== 'texto' && format && { format }) };
}

/**
 * Describes a section of a guide. Words say that one of two fields is required: generators would make two types.
 * Unknown fields are allowed: later releases add some to answers.
 */
function describeSection<S extends TObject>(title: string, section: S & { description?: string }) {
  const { properties, required, description } = section;
  const fields = Object.entries(properties).map(([name, field]) => [name, describeField(field)]);
  return Type.Unsafe<Static<S>>({
    type: 'object',
    title,
    description,
    required,
    properties: Object.fromEntries(fields),
  });
}

/** Describes a section of which only the fields in `required` are required. */
function optionalSection<S extends TObject>(title: string, section: S, required: readonly string[] = []) {
  return describeSection(title, { ...section, required: [...required] });
}

const { Remitente, Destinatario, Producto, Creado_por, Referencia, Cotizacion } = SentGuide.properties;
/** The fields of a guide, in requests and answers. */
const GUIDE_FIELDS = {
  Remitente: describeSection('Remitente', Remitente),
  Destinatario: describeSection('Destinatario', Destinatario),
  Producto: describeSection('Producto', Producto),
  Creado_por: describeSection('CreadoPor', Creado_por),
  Referencia: Type.Optional(Type.Unsafe<string>(describeField(Referencia))),
};

/** The fields of a guide in a request alone. */
export const REQUEST_FIELDS = { ...GUIDE_FIELDS, Cotizacion };

/** Documents the body of a creation; `parseGuideRequest` validates it. */
export const GuideRequest = Type.Object(
  {
    TipoServicio: ServiceType,
    Guia: Type.Array(
      Type.Object(REQUEST_FIELDS, { title: 'Guia', description: 'Una guía', additionalProperties: false }),
      { minItems: 1, maxItems: MAX_GUIDES },
    ),
  },
  {
    title: 'SolicitudDeGuias',
    additionalProperties: false,
    description:
      'En los campos opcionales, null y "" significan ausente. Los textos se recortan. ' +
      'Cada guía requiere Destinatario.DestinoCode o Destinatario.CodigoPostal; se recomienda solo CodigoPostal. ' +
      'Un campo desconocido se rechaza, a cualquier profundidad.',
    'x-examples': GUIDE_EXAMPLES,
  },
);

export const CompleteGuide = Type.Object(
  {
    ...GuideSummary.properties,
    ...Type.Partial(QuotedPrice).properties,
    Ajuste: Type.Optional(Adjustment),
    TipoServicio: ServiceType,
    ...GUIDE_FIELDS,
  },
  {
    title: 'GuiaCompleta',
    description:
      'Una guía con todos sus campos, como está guardada; si se creó con `Cotizacion`, con las líneas de su precio',
  },
);

/** Documents the body of a request for quotes; `parseQuoteRequest` validates it. */
export const QuoteRequest = Type.Object(
  {
    TipoServicio: Type.Optional(ServiceType),
    Guia: Type.Array(
      Type.Object(
        {
          Destinatario: optionalSection('DestinatarioCotizado', Destinatario),
          Producto: optionalSection('ProductoCotizado', Producto, MEASURES),
          Remitente: Type.Optional(optionalSection('RemitenteCotizado', Remitente)),
          Creado_por: Type.Optional(GUIDE_FIELDS.Creado_por),
          Referencia: GUIDE_FIELDS.Referencia,
          Cotizacion,
        },
        { title: 'Envio', description: 'Lo que se cotiza', additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_GUIDES },
    ),
  },
  {
    title: 'SolicitudDeCotizaciones',
    additionalProperties: false,
    description:
      'El cuerpo de `crear`, del que solo cuentan el destino y la mercancía: lo demás puede faltar. ' +
      'Sin TipoServicio hay una opción por servicio.',
    'x-examples': QUOTE_EXAMPLES,
  },
);

/** A branch, to which a later release may add fields. */
export const BranchAnswer = Type.Object(Branch.properties, {
  title: 'Sucursal',
  description: 'Una sucursal del transportista',
});

export const EventFields = describeSection('Evento', Event);

const { Guia: _, Ocurrido: __, ...simulated } = Event.properties;
/** Documents the body of `simularEventos`; `simulateEvents` validates it. */
export const SimulationRequest = Type.Object(
  {
    Escenario: Type.Optional(
      Type.Enum(SCENARIO_NAMES, {
        type: 'string',
        description: 'Lo que pasa con la guía; en su lugar, `Eventos`',
      }),
    ),
    Hasta: Type.Optional(
      Type.Enum(EVENT_TYPE_NAMES, {
        type: 'string',
        description: 'El último evento del escenario; todos si falta',
      }),
    ),
    Eventos: Type.Optional(
      Type.Array(
        describeSection('EventoSimulado', {
          ...Type.Object(simulated),
          description: 'Un evento de la guía; `Ocurrido` lo pone la simulación',
        }),
        { minItems: 1, maxItems: MAX_EVENTS },
      ),
    ),
  },
  {
    title: 'Simulacion',
    additionalProperties: false,
    'x-examples': {
      escenario: { summary: 'Nadie recibe, y al final se entrega', value: { Escenario: 'ausente' } },
      parte: { summary: 'Hasta un evento', value: { Escenario: 'entrega', Hasta: 'EnReparto' } },
      propios: { summary: 'Eventos propios', value: { Eventos: [{ Tipo: 'Incidencia', Motivo: 'danado' }] } },
    },
  },
);

const { Ocurrido, Sucursal } = Event.properties;
/**
 * Documents the body of `registrarEventos`. `eventsOf` and `checkEvent` validate it; `scanManifest` validates that of a
 * manifest. Descriptions say which fields go together, because generators would make two types.
 */
export const EventsRequest = Type.Object(
  {
    Eventos: Type.Optional(Type.Array(EventFields, { minItems: 1, maxItems: MAX_EVENTS })),
    Manifiesto: Type.Optional(
      Type.String({
        description:
          'Número de un manifiesto, en lugar de `Eventos` y con `Tipo` y `Ocurrido`: cada una de sus guías se recogió',
        examples: ['M48291365074'],
      }),
    ),
    Tipo: Type.Optional(
      Type.Enum(['Recolectado'], { type: 'string', description: 'Solo con `Manifiesto`, y obligatorio' }),
    ),
    Ocurrido: Type.Optional({ ...Ocurrido, description: 'Solo con `Manifiesto`, y obligatorio' }),
    Sucursal: Type.Optional({ ...Sucursal, description: 'Solo con `Manifiesto`: dónde se recogió' }),
    Faltan: Type.Optional(
      Type.Array(Type.String({ description: 'Número de guía' }), {
        maxItems: MAX_GUIDES,
        description: 'Solo con `Manifiesto`: sus guías que no llegaron',
        examples: [['390458235877']],
      }),
    ),
  },
  {
    title: 'SolicitudDeEventos',
    description: 'Eventos de guías, o el escaneo de un manifiesto',
    additionalProperties: false,
    'x-examples': EVENTS_EXAMPLES,
  },
);

export const EventResult = Type.Object(
  {
    indice: Type.Integer({ description: 'Posición en la solicitud, o en el manifiesto, desde 0' }),
    SEND_GUIA: Type.Optional(Type.String({ description: 'La guía, de un manifiesto' })),
    Id: Type.Optional(
      Type.String({ description: 'El del evento, o el que se le dio; falta si su forma está mal' }),
    ),
    resultado: Type.Enum(['registrado', 'repetido', 'rechazado'], { type: 'string' }),
    campo: Type.Optional(Type.String({ description: 'De un evento rechazado: el campo' })),
    codigo: Type.Optional(Codigo),
    message: Type.Optional(Type.String()),
  },
  { title: 'ResultadoDeEvento', description: 'Qué fue de un evento' },
);

/** What every answer has of an event. A cancellation stands beside the events. */
const TOLD = {
  Id: Type.String({ description: 'Único entre los eventos de su guía', examples: ['MTY01-000123'] }),
  Tipo: Type.Enum([...FEED_TYPE_NAMES], { type: 'string', examples: ['EnTransito'] }),
  Ocurrido: Type.String({ description: 'Cuándo, en UTC', examples: ['2026-11-21T16:30:00.000Z'] }),
  Registrado: Type.String({
    description: 'Cuándo se registró, en UTC',
    examples: ['2026-11-21T16:30:04.120Z'],
  }),
  Sucursal: Type.Optional(Type.String({ examples: ['MTY01'] })),
  Paquete: Type.Optional(Type.Integer({ description: 'Cuál; todos si falta' })),
  Motivo: Type.Optional(Type.Enum(REASON_NAMES, { type: 'string' })),
  Manifiesto: Type.Optional(Type.String({ description: 'El que se escaneó; falta si fue la guía' })),
  Peso: Type.Optional(Type.Number({ description: 'De cada paquete, en kg; de un Pesaje' })),
  Largo: Type.Optional(Type.Number({ description: 'En cm, si se midió' })),
  Alto: Type.Optional(Type.Number({ description: 'En cm' })),
  Ancho: Type.Optional(Type.Number({ description: 'En cm' })),
  Ajuste: Type.Optional(Adjustment),
};

export const GuideEvent = Type.Object(
  {
    ...TOLD,
    Recibe: Type.Optional(Type.String({ description: 'Quién recibió' })),
    Nota: Type.Optional(Type.String({ description: 'Solo con el permiso `eventos.create`' })),
    Anulado: Type.Boolean({ description: 'Si fue un error y no cuenta' }),
  },
  { title: 'EventoDeGuia', description: 'Un evento de una guía, o su cancelación' },
);

export const FeedEvent = Type.Object(
  {
    SEND_GUIA: Type.String({ examples: ['390458235877'] }),
    Referencia: Type.Optional(Type.String({ description: 'La del cliente' })),
    SEND_ESTATUS: Type.Enum([...GUIDE_STATUSES], {
      type: 'string',
      description: 'El de la guía tras el evento',
    }),
    Version: Type.Integer({ description: 'Cuántos eventos tiene la guía con este' }),
    Prueba: Type.Optional(Type.Literal(true, { description: 'Si la guía es de una cuenta de prueba' })),
    ...TOLD,
  },
  { title: 'EventoDeCuenta', description: 'Un evento de una guía de la cuenta, o su cancelación' },
);
