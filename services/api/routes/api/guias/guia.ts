import { Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { cancelGuide, findGuide } from '../../../guides/guide-access.ts';
import { GuideSummary, summaryOf } from '../../../guides/guide-summary.ts';
import { apiUser } from '../../authenticate.ts';
import { COMPLETE_EXAMPLE, CREATED_EXAMPLE } from '../../examples.ts';
import { operation } from '../../operation.ts';
import { recordForeign } from '../../record-foreign.ts';
import { CompleteGuide } from '../../schemas.ts';
import { ignoreBodies } from '../auth/ignored-body.ts';

/** What is no number of a guide since it is the path of another method, which is to answer 405. */
const OTHER_PATHS = '(?:crear|validar|etiquetas)';
const PATH = `/:guia(^(?!${OTHER_PATHS}$).*$)`;

const params = Type.Object({
  guia: Type.String({ description: 'Número de guía (SEND_GUIA)', examples: ['390458235877'] }),
});

const reading = operation({
  id: 'obtenerGuia',
  tag: 'Guias',
  summary: 'Obtener una guía completa',
  permission: 'guias.read',
  request: { params },
  errors: ['guide-not-found'],
  data: {
    name: 'Guia',
    message: 'Guia encontrada',
    schema: CompleteGuide,
    example: COMPLETE_EXAMPLE,
  },
});

const cancellation = operation({
  id: 'cancelarGuia',
  tag: 'Guias',
  summary: 'Cancelar una guía',
  description:
    'SEND_ESTATUS pasa a Cancelado, y sus etiquetas ya no se imprimen. Repetir da la misma respuesta. Una guía con eventos ya no se cancela. El cuerpo se ignora. ' +
    'La cuota de guías no se devuelve.',
  permission: 'guias.cancel',
  request: { params },
  errors: ['guide-not-found', 'guide-on-its-way', 'events-unknown', 'overloaded'],
  data: {
    name: 'GuiaCancelada',
    message: 'Guia cancelada',
    schema: GuideSummary,
    example: { ...CREATED_EXAMPLE, SEND_ESTATUS: 'Cancelado' },
  },
});

/** `GET /api/guias/{guia}` and `POST /api/guias/{guia}/cancelar` (docs/contract.md "Guides"). */
export default async function guideRoutes(server: HttpServer): Promise<void> {
  const { guides, events, trail } = server;
  ignoreBodies(server);
  server.get(PATH, reading, async (request) => {
    const guide = await findGuide(guides, request.params.guia, apiUser(request));
    recordForeign(request, 'guide.read-other', [guide]);
    return reading.ok({ ...summaryOf(guide), TipoServicio: guide.service, ...guide.guide });
  });
  server.post('/:guia/cancelar', cancellation, async (request) => {
    const { username, account } = apiUser(request);
    const { guide, cancelled } = await cancelGuide(guides, events, request.params.guia, apiUser(request));
    if (cancelled) {
      trail.record({
        action: 'guide.cancel',
        actor: username,
        account,
        address: request.ip,
        requestId: request.id,
        subject: guide.account,
        outcome: 'ok',
        details: { guide: guide.number },
      });
    }
    return cancellation.ok(summaryOf(guide));
  });
}
