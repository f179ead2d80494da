import { Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { guideEvents } from '../../../guides/events/read-events.ts';
import { findGuide } from '../../../guides/guide-access.ts';
import { apiUser } from '../../authenticate.ts';
import { GUIDE_EVENT_EXAMPLE } from '../../examples.ts';
import { operation } from '../../operation.ts';
import { recordForeign } from '../../record-foreign.ts';
import { GuideEvent } from '../../schemas.ts';

const route = operation({
  id: 'listarEventosDeGuia',
  tag: 'Eventos',
  summary: 'Todo lo que pasó con una guía',
  description: 'Por `Ocurrido`, también lo anulado. `Nota` solo la ve quien registra eventos.',
  permission: 'guias.read',
  request: {
    params: Type.Object({
      guia: Type.String({ description: 'Número de guía (SEND_GUIA)', examples: ['390458235877'] }),
    }),
  },
  errors: ['guide-not-found'],
  data: {
    name: 'EventosDeGuia',
    message: (events) => `Eventos: ${events.length}`,
    schema: Type.Array(GuideEvent),
    example: [GUIDE_EVENT_EXAMPLE],
  },
});

/** `GET /api/guias/{guia}/eventos` (docs/contract.md "Events"). */
export default async function guideEventsRoute(server: HttpServer): Promise<void> {
  server.get('/:guia/eventos', route, async (request) => {
    const user = apiUser(request);
    const guide = await findGuide(server.guides, request.params.guia, user, 'eventos.create');
    recordForeign(request, 'guide.read-other', [guide]);
    return route.ok(await guideEvents(server.eventLog, guide.number, user));
  });
}
