import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { POSTAL_CODE_FORM } from '#shared/branches/postal-code.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { MAX_OPEN, PICKUP_NUMBER, PICKUP_STATES, PickupAddress } from '#shared/pickups/pickup.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { idempotencyHeader, idempotencyKeyOf, REPLAYED_HEADER } from '../http/idempotency.ts';
import { ignoreBodies } from '../http/ignored-body.ts';
import { BODY_ERRORS, operation } from '../http/operation.ts';
import { POSTAL_CODE_RULE } from '../http/parameter-rules.ts';
import { abortSignalOf } from '../http/response-end.ts';
import { describeHeaders } from '../http/responses.ts';
import { describeSection, listParameters, NextCursor } from '../http/schemas.ts';
import { zonedTime } from '../platform/local-time.ts';
import { availability } from './availability.ts';
import { cancelPickup, findPickup } from './change-pickup.ts';
import { createPickup } from './create-pickup.ts';
import type { PickupsContext } from './open.ts';
import { PickupRequest, RequestedWindow } from './pickup-request.ts';
import { asCreated, completeOf, listPickups, statesOf, summaryOf } from './read-pickups.ts';
import {
  ADDRESS_EXAMPLE,
  Availability,
  COMPLETE_EXAMPLE,
  CompletePickup,
  PICKUP_EXAMPLE,
  PickupSummary,
  WINDOW_EXAMPLE,
} from './schemas.ts';
import { localTimeIn } from './zones.ts';

const params = Type.Object({
  recoleccion: Type.String({
    pattern: PICKUP_NUMBER,
    description: 'Número de la recolección',
    examples: ['R48291365074'],
  }),
});

const offering = operation({
  id: 'consultarRecolecciones',
  tag: 'Recolecciones',
  summary: 'Cuándo se recoge en un código postal',
  description:
    'Las próximas diez ventanas con lugar de la sucursal que cubre el código, en los próximos 30 días. Las horas son de la sucursal.',
  permission: 'guias.read',
  action: 'read',
  request: {
    querystring: Type.Object({
      CodigoPostal: Type.String({
        pattern: POSTAL_CODE_FORM.source,
        description: 'Dónde se recoge',
        examples: ['64000'],
        'x-regla': POSTAL_CODE_RULE,
      }),
    }),
  },
  errors: ['postal-code-uncovered'],
  data: {
    name: 'Disponibilidad',
    message: ({ Ventanas }) => `Ventanas: ${Ventanas.length}`,
    schema: Availability,
    example: {
      ...{ CodigoPostal: '64000', Sucursal: 'MTY01', Zona: 'America/Mexico_City' },
      Ventanas: [{ ...WINDOW_EXAMPLE, SolicitarAntesDe: '2026-12-01T08:00:00-06:00' }],
    },
  },
});

function offeringRoute(server: HttpServer, context: PickupsContext): void {
  server.get('/api/recolecciones/disponibles', offering, async (request, reply) => {
    const { CodigoPostal } = request.query;
    const { test } = apiUser(request);
    const { branch, zone, windows, none } = await availability(context, CodigoPostal, {
      ...callerOf(request, reply),
      test,
    });
    return offering.ok({
      ...{ CodigoPostal, Sucursal: branch, Zona: zone },
      Ventanas: windows.map(({ date, from, to, closesAt }) => ({
        ...{ Fecha: date, Desde: from, Hasta: to },
        SolicitarAntesDe: zonedTime(localTimeIn(zone), closesAt),
      })),
      ...(none && { Motivo: none }),
    });
  });
}

const asking = operation({
  id: 'pedirRecoleccion',
  tag: 'Recolecciones',
  summary: 'Pedir que pasen por los paquetes',
  description:
    'En una ventana de `disponibles`. Con `Guias` o `Manifiesto`, la recolección termina sola cuando se escanean. ' +
    'Una cuenta tiene una recolección abierta por dirección y día, y ' +
    `hasta ${MAX_OPEN} abiertas; una guía está en una sola recolección abierta.`,
  permission: 'guias.create',
  action: 'pickup',
  readsMany: true,
  request: {
    body: Type.Object(
      {
        ...PickupRequest.properties,
        Ventana: describeSection('VentanaPedida', RequestedWindow),
        Direccion: describeSection('DireccionPedida', PickupAddress),
      },
      {
        title: 'SolicitudDeRecoleccion',
        description: 'Qué se recoge, dónde y cuándo',
        additionalProperties: false,
        'x-examples': {
          paquetes: {
            summary: 'Paquetes, sin decir cuáles',
            value: { Ventana: WINDOW_EXAMPLE, Direccion: ADDRESS_EXAMPLE, Paquetes: 12, Peso: 48.5 },
          },
          guias: {
            summary: 'Las guías que se nombran',
            value: {
              Ventana: WINDOW_EXAMPLE,
              Direccion: ADDRESS_EXAMPLE,
              Paquetes: 2,
              Guias: ['390458235877', '482913650724'],
              Notas: 'Preguntar en la recepción',
            },
          },
        },
      },
    ),
    headers: Type.Object({ 'idempotency-key': idempotencyHeader }),
  },
  validatedBy: 'handler',
  errors: [
    ...(['invalid-json', 'field-required', 'field-type', 'field-invalid', 'field-too-long'] as const),
    ...(['field-unknown', 'postal-code-uncovered', 'window-unknown', 'window-closed'] as const),
    ...(['window-full', 'pickup-repeated', 'guide-not-found', 'guide-in-pickup'] as const),
    ...(['guide-cancelled', 'guide-not-waiting', 'guide-of-other-pickup-branch'] as const),
    ...(['manifest-not-found', 'manifest-in-pickup', 'manifest-of-other-branch'] as const),
    ...(['manifest-not-waiting', 'idempotency-key-invalid', 'idempotency-key-reused'] as const),
    ...(['too-many-open-pickups', 'pickup-unknown', ...BODY_ERRORS] as const),
  ],
  data: {
    name: 'RecoleccionPedida',
    message: 'Recoleccion solicitada',
    schema: CompletePickup,
    headers: describeHeaders({
      [REPLAYED_HEADER]: 'true: la recolección es de una solicitud anterior con la misma Idempotency-Key',
    }),
    example: COMPLETE_EXAMPLE,
  },
});

function askingRoute(server: HttpServer, context: PickupsContext): void {
  server.post('/api/recolecciones', asking, async (request, reply) => {
    const { pickup, repeated } = await createPickup(context, {
      body: request.body,
      user: apiUser(request),
      caller: callerOf(request, reply),
      idempotencyKey: idempotencyKeyOf(request),
    });
    if (repeated) reply.header(REPLAYED_HEADER, 'true');
    return asking.ok(asCreated(pickup));
  });
}

const listing = operation({
  id: 'listarRecolecciones',
  tag: 'Recolecciones',
  summary: 'Listar las recolecciones de la cuenta',
  description:
    'De la más nueva a la más vieja, por cuándo se pidieron: siga con `cursor` igual a `siguiente` hasta que sea null.',
  permission: 'guias.read',
  action: 'read',
  readsMany: true,
  request: {
    querystring: Type.Object(
      listParameters('Recolecciones', {
        estado: Type.Optional(
          Type.Enum([...PICKUP_STATES], { type: 'string', description: 'Solo las que están en este estado' }),
        ),
      }),
    ),
  },
  data: {
    name: 'Recolecciones',
    message: (pickups) => `Recolecciones: ${pickups.length}`,
    schema: Type.Array(PickupSummary),
    beside: { siguiente: NextCursor },
    example: [PICKUP_EXAMPLE],
  },
});

function listRoute(server: HttpServer, context: PickupsContext): void {
  server.get('/api/recolecciones', listing, async (request) => {
    const { pickups, cursor } = await listPickups(context.pickups, apiUser(request).account, request.query);
    return { ...listing.ok(pickups.map(summaryOf)), siguiente: cursor };
  });
}

const reading = operation({
  id: 'obtenerRecoleccion',
  tag: 'Recolecciones',
  summary: 'Obtener una recolección',
  description: 'Con su historial, y de cada guía el estatus de ahora: una que se cancela sigue en la lista.',
  permission: 'guias.read',
  action: 'read',
  request: { params },
  errors: ['pickup-not-found'],
  data: {
    name: 'Recoleccion',
    message: 'Recoleccion encontrada',
    schema: CompletePickup,
    example: COMPLETE_EXAMPLE,
  },
});

function readingRoute(server: HttpServer, context: PickupsContext): void {
  server.get('/api/recolecciones/:recoleccion', reading, async (request) => {
    const { account } = apiUser(request);
    const pickup = await findPickup(context, request.params.recoleccion, account);
    return reading.ok(completeOf(pickup, await statesOf(context.guides, pickup)));
  });
}

const cancelling = operation({
  id: 'cancelarRecoleccion',
  tag: 'Recolecciones',
  summary: 'Cancelar una recolección',
  description:
    'Hasta su `SolicitarAntesDe`, y otra vez cuando su ventana terminó y nadie ha dicho qué pasó. Sus guías quedan como están, y pueden ir en otra recolección. Repetirlo no cambia nada.',
  permission: 'guias.create',
  action: 'pickup',
  request: { params },
  errors: ['pickup-not-found', 'pickup-past-cutoff', 'pickup-ended', 'pickup-unknown'],
  data: {
    name: 'RecoleccionCancelada',
    message: 'Recoleccion cancelada',
    schema: CompletePickup,
    example: { ...COMPLETE_EXAMPLE, Estado: 'Cancelada', Motivo: 'cliente', Version: 2 },
  },
});

function cancellationRoute(server: HttpServer, context: PickupsContext): void {
  ignoreBodies(server);
  server.post('/api/recolecciones/:recoleccion/cancelar', cancelling, async (request) =>
    cancelling.ok(completeOf(await cancelPickup(context, request.params.recoleccion, apiUser(request)))),
  );
}

/** `/api/recolecciones` of customers (docs/contract.md "Pick-ups"). */
export async function pickupRoutes(server: HttpServer, context: PickupsContext): Promise<void> {
  offeringRoute(server, context);
  askingRoute(server, context);
  listRoute(server, context);
  readingRoute(server, context);
  await server.register(async (scope) => cancellationRoute(scope as HttpServer, context));
}

function callerOf(request: Parameters<typeof apiUser>[0], reply: FastifyReply) {
  return { requestId: request.id, account: apiUser(request).account, signal: abortSignalOf(reply) };
}
