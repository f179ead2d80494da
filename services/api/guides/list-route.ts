import { Type } from 'typebox';
import { GUIDE_STATUSES } from '#shared/guides/event-types.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { operation } from '../http/operation.ts';
import { listParameters, NextCursor } from '../http/schemas.ts';
import { CREATED_EXAMPLE } from './examples.ts';
import { listGuides } from './guide-list.ts';
import { GuideSummary, summaryOf } from './guide-summary.ts';
import type { GuidesContext } from './open.ts';

const route = operation({
  id: 'listarGuias',
  tag: 'Guias',
  summary: 'Listar y buscar las guías de la cuenta',
  description:
    'De la más nueva a la más vieja. Para seguir, repita con `cursor` igual a `siguiente` hasta que sea null: cada guía que ' +
    'había al empezar sale una vez. Una página trae `limite` guías, salvo la última, o la de una búsqueda que en 3 segundos no terminó: entonces trae `buscadoHasta`.',
  permission: 'guias.read',
  action: 'read',
  readsMany: true,
  request: {
    querystring: Type.Object(
      listParameters('Guías', {
        referencia: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 60,
            description: 'La del cliente, completa',
            examples: ['PEDIDO-1042'],
          }),
        ),
        estatus: Type.Optional(
          Type.Enum([...GUIDE_STATUSES], { type: 'string', description: 'Estatus actual' }),
        ),
        destino: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 120,
            description: 'Sucursal de destino',
            examples: ['MTY01'],
          }),
        ),
      }),
    ),
  },
  data: {
    name: 'Guias',
    message: (guides) => `Guias: ${guides.length}`,
    schema: Type.Array(GuideSummary),
    beside: {
      siguiente: NextCursor,
      buscadoHasta: Type.Optional(
        Type.String({
          description:
            'Si la búsqueda no terminó en 3 segundos: hasta qué fecha y hora local buscó; `siguiente` la continúa',
          examples: ['2026-11-21T05:05:10'],
        }),
      ),
    },
    example: [CREATED_EXAMPLE],
  },
});

/** `GET /api/guias` (docs/contract.md "Guides"). */
export function listRoute(server: HttpServer, { guideList }: GuidesContext): void {
  server.get('/api/guias', route, async (request) => {
    const { account } = apiUser(request);
    const { guides, cursor, searchedUntil } = await listGuides(guideList, account, request.query);
    return {
      ...route.ok(guides.map(summaryOf)),
      siguiente: cursor,
      ...(searchedUntil !== undefined && { buscadoHasta: searchedUntil }),
    };
  });
}
