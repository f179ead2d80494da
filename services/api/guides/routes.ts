import type { HttpServer } from '#shared/http/http-server.ts';
import { auditForeignReads } from '../accounts/hooks/audit.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { ignoreBodies } from '../http/ignored-body.ts';
import { operation } from '../http/operation.ts';
import { COMPLETE_EXAMPLE } from './examples.ts';
import { findGuide } from './guide-access.ts';
import { summaryOf } from './guide-summary.ts';
import type { GuidesContext } from './open.ts';
import { CompleteGuide, GuideParams } from './schemas.ts';

/** Not a number of a guide but another method's path, which answers 405. */
const OTHER_PATHS = '(?:crear|validar|cotizar|etiquetas)';
const PATH = `/api/guias/:guia(^(?!${OTHER_PATHS}$).*$)`;

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

/** `GET /api/guias/{guia}` (docs/contract.md "Guides"). */
export function guideRoute(server: HttpServer, context: GuidesContext): void {
  ignoreBodies(server);
  server.get(PATH, reading, async (request) => {
    const guide = await findGuide(context.guides, request.params.guia, apiUser(request));
    auditForeignReads(context, request, 'guide.read-other', [guide]);
    return reading.ok({
      ...summaryOf(guide),
      ...guide.quote,
      ...(guide.adjustment && { Ajuste: guide.adjustment }),
      TipoServicio: guide.service,
      ...guide.guide,
    });
  });
}
