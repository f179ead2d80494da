import { Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { audit, auditForeignReads } from '../accounts/hooks/audit.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { CREATED_EXAMPLE } from '../guides/examples.ts';
import { findGuide } from '../guides/guide-access.ts';
import { GuideSummary, summaryOf } from '../guides/guide-summary.ts';
import { GuideParams } from '../guides/schemas.ts';
import { ignoreBodies } from '../http/ignored-body.ts';
import { operation } from '../http/operation.ts';
import { cancelGuide } from './cancel-guide.ts';
import { GUIDE_EVENT_EXAMPLE, WEIGHING_EXAMPLE } from './examples.ts';
import type { TrackingContext } from './open.ts';
import { guideEvents } from './read-events.ts';
import { GuideEvent } from './schemas.ts';

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

function historyRoute(server: HttpServer, context: TrackingContext): void {
  server.get('/api/guias/:guia/eventos', history, async (request) => {
    const user = apiUser(request);
    const guide = await findGuide(context.guides, request.params.guia, user, 'eventos.create');
    auditForeignReads(context, request, 'guide.read-other', [guide]);
    return history.ok(await guideEvents(context.eventLog, guide._id, user));
  });
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
    example: { ...CREATED_EXAMPLE, SEND_ESTATUS: 'Cancelado' },
  },
});

function cancellationRoute(server: HttpServer, context: TrackingContext): void {
  server.post('/api/guias/:guia/cancelar', cancellation, async (request) => {
    const { guide, cancelled } = await cancelGuide(
      context.guides,
      context.events,
      request.params.guia,
      apiUser(request),
    );
    if (cancelled) {
      audit(context, request, {
        action: 'guide.cancel',
        subject: guide.account,
        details: { guide: guide._id },
      });
    }
    const Manifiesto = await context.handover.value?.listOf(guide._id);
    return { ...cancellation.ok(summaryOf(guide)), ...(Manifiesto !== undefined && { Manifiesto }) };
  });
}

/** The events of a guide, and its cancellation (docs/contract.md "Guides", "Events"). */
export function guideEventRoutes(server: HttpServer, context: TrackingContext): void {
  ignoreBodies(server);
  historyRoute(server, context);
  cancellationRoute(server, context);
}
