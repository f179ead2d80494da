import { Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { guideEvents } from '../guides/events/read-events.ts';
import { simulateEvents } from '../guides/events/simulate-events.ts';
import { cancelGuide, findGuide } from '../guides/guide-access.ts';
import { GuideSummary, summaryOf } from '../guides/guide-summary.ts';
import { apiUser } from '../hooks/authenticate.ts';
import { ignoreBodies } from '../hooks/ignored-body.ts';
import {
  COMPLETE_EXAMPLE,
  CREATED_EXAMPLE,
  GUIDE_EVENT_EXAMPLE,
  WEIGHING_EXAMPLE,
} from '../openapi/examples.ts';
import { BODY_ERRORS, operation } from '../openapi/operation.ts';
import { CompleteGuide, GuideEvent, GuideParams, SimulationRequest } from '../openapi/schemas.ts';
import { audit, auditForeignReads } from './common/audit.ts';

/** Not a number of a guide but another method's path, which answers 405. */
const OTHER_PATHS = '(?:crear|validar|cotizar|etiquetas)';
const PATH = `/api/guias/:guia(^(?!${OTHER_PATHS}$).*$)`;

const history = operation({
  id: 'listarEventosDeGuia',
  tag: 'Eventos',
  summary: 'Todo lo que pasó con una guía',
  description: 'Por `Ocurrido`, también lo anulado. `Nota` solo la ve quien registra eventos.',
  permission: 'guias.read',
  action: 'read',
  readsMany: true,
  request: { params: GuideParams },
  errors: ['guide-not-found'],
  data: {
    name: 'EventosDeGuia',
    message: (events) => `Eventos: ${events.length}`,
    schema: Type.Array(GuideEvent),
    example: [WEIGHING_EXAMPLE, GUIDE_EVENT_EXAMPLE],
  },
});

function historyRoute(server: HttpServer): void {
  server.get('/api/guias/:guia/eventos', history, async (request) => {
    const user = apiUser(request);
    const guide = await findGuide(server.guides, request.params.guia, user, 'eventos.create');
    auditForeignReads(request, 'guide.read-other', [guide]);
    return history.ok(await guideEvents(server.eventLog, guide.number, user));
  });
}

const reading = operation({
  id: 'obtenerGuia',
  tag: 'Guias',
  summary: 'Obtener una guía completa',
  permission: 'guias.read',
  action: 'read',
  request: { params: GuideParams },
  errors: ['guide-not-found'],
  data: {
    name: 'Guia',
    message: 'Guia encontrada',
    schema: CompleteGuide,
    example: COMPLETE_EXAMPLE,
  },
});

function readingRoute(server: HttpServer): void {
  server.get(PATH, reading, async (request) => {
    const guide = await findGuide(server.guides, request.params.guia, apiUser(request));
    auditForeignReads(request, 'guide.read-other', [guide]);
    return reading.ok({
      ...summaryOf(guide),
      ...guide.quote,
      ...(guide.adjustment && { Ajuste: guide.adjustment }),
      TipoServicio: guide.service,
      ...guide.guide,
    });
  });
}

const simulation = operation({
  id: 'simularEventos',
  tag: 'Eventos',
  summary: 'Simular lo que pasa con una guía de prueba',
  description:
    'Solo en una cuenta de prueba. Los eventos pasan por el registro, los webhooks y la página como los reales, y ocurren con un segundo entre ellos. `data` son todos los eventos de la guía.',
  permission: 'guias.create',
  action: 'event',
  readsMany: true,
  request: { params: GuideParams, body: SimulationRequest },
  validatedBy: 'handler',
  errors: [
    ...([
      'test-accounts-only',
      'guide-not-found',
      'guide-cancelled',
      'guide-events-full',
      'event-conflict',
    ] as const),
    ...(['field-required', 'field-type', 'field-invalid', 'field-too-long', 'field-unknown'] as const),
    ...(['events-empty', 'too-many-events', 'event-invalid', 'invalid-json', ...BODY_ERRORS] as const),
    ...(['overloaded', 'events-unknown'] as const),
  ],
  data: {
    name: 'EventosSimulados',
    message: (events) => `Eventos: ${events.length}`,
    schema: Type.Array(GuideEvent),
    example: [GUIDE_EVENT_EXAMPLE],
  },
});

/** `POST /api/guias/{guia}/simular` (docs/contract.md "Test accounts"). */
export async function simulationRoute(server: HttpServer): Promise<void> {
  server.post('/api/guias/:guia/simular', simulation, async (request) =>
    simulation.ok(await simulateEvents(server, request.params.guia, request.body, apiUser(request))),
  );
}

const cancellation = operation({
  id: 'cancelarGuia',
  tag: 'Guias',
  summary: 'Cancelar una guía',
  description:
    'SEND_ESTATUS pasa a Cancelado, y sus etiquetas ya no se imprimen. Repetir da la misma respuesta. Una guía con eventos ya no se cancela. El cuerpo se ignora. ' +
    'La cuota de guías no se devuelve.',
  permission: 'guias.cancel',
  action: 'event',
  request: { params: GuideParams },
  errors: ['guide-not-found', 'guide-on-its-way', 'events-unknown', 'overloaded'],
  data: {
    name: 'GuiaCancelada',
    message: 'Guia cancelada',
    schema: GuideSummary,
    beside: {
      Manifiesto: Type.Optional(
        Type.String({
          description:
            'El manifiesto en que está la guía: la lista no cambia, así que avise a quien la recoge',
          examples: ['M48291365074'],
        }),
      ),
    },
    example: { ...CREATED_EXAMPLE, SEND_ESTATUS: 'Cancelado' },
  },
});

function cancellationRoute(server: HttpServer): void {
  server.post('/api/guias/:guia/cancelar', cancellation, async (request) => {
    const { guide, cancelled } = await cancelGuide(
      server.guides,
      server.events,
      request.params.guia,
      apiUser(request),
    );
    if (cancelled) {
      audit(request, { action: 'guide.cancel', subject: guide.account, details: { guide: guide.number } });
    }
    const Manifiesto = (await server.manifests.ofGuides([guide.number])).get(guide.number);
    return { ...cancellation.ok(summaryOf(guide)), ...(Manifiesto !== undefined && { Manifiesto }) };
  });
}

/** `GET /api/guias/{guia}`, its events, and its cancellation (docs/contract.md "Guides", "Events"). */
export async function guideRoutes(server: HttpServer): Promise<void> {
  ignoreBodies(server);
  historyRoute(server);
  readingRoute(server);
  cancellationRoute(server);
}
