import { Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import type { Guides } from '../guides/open.ts';
import { GuideParams } from '../guides/schemas.ts';
import { BODY_ERRORS, operation } from '../http/operation.ts';
import { GUIDE_EVENT_EXAMPLE } from '../tracking/examples.ts';
import type { Tracking } from '../tracking/open.ts';
import { GuideEvent } from '../tracking/schemas.ts';
import type { Rehearsal } from './open.ts';
import { SimulationRequest } from './schemas.ts';
import { simulateEvents } from './simulate-events.ts';

const simulation = operation({
  id: 'simularEventos',
  tag: 'Eventos',
  summary: 'Simular lo que pasa con una guía de prueba',
  description:
    'Solo en una cuenta de prueba. Los eventos pasan por el registro, los webhooks y la página como los reales, y ocurren con un segundo entre ellos. `data` son todos los eventos de la guía.',
  permission: 'guias.create',
  action: 'event',
  readsMany: true,
  actsAgain: true,
  request: { params: GuideParams, body: SimulationRequest },
  validatedBy: 'handler',
  errors: [
    ...([
      'test-accounts-only',
      'guide-not-found',
      'guide-cancelled',
      'guide-events-full',
      'event-conflict',
      'event-different',
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

/** `POST /api/guias/{guia}/simular` (docs/contract.md "Rehearsal"). */
export function simulationRoute(server: HttpServer, context: Guides & Tracking & Rehearsal): void {
  server.post('/api/guias/:guia/simular', simulation, async (request) =>
    simulation.ok(await simulateEvents(context, request.params.guia, request.body, apiUser(request))),
  );
}
