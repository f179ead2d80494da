import { Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { validateGuides } from '../../../guides/create-guides.ts';
import {
  appliedHeader,
  GUIDE_REFUSALS,
  lenientHeader,
  readGuides,
  toWarnings,
  warnings,
} from '../../guide-requests.ts';
import { operation } from '../../operation.ts';
import { GuideRequest } from '../../schemas.ts';

const route = operation({
  id: 'validarGuias',
  tag: 'Guias',
  summary: 'Validar guías sin crearlas',
  description:
    'Toma el cuerpo de `crear`, hace las mismas revisiones con los mismos errores, y no guarda nada. No cuenta en la cuota de guías.',
  permission: 'guias.create',
  request: { body: GuideRequest, headers: Type.Object({ prefer: lenientHeader }) },
  // As `crear`: the contract fixes the order of the checks and the words for each.
  validatedBy: 'handler',
  errors: [...GUIDE_REFUSALS],
  data: {
    name: 'GuiasValidas',
    message: (valid) => `Guias validas: ${valid.length}`,
    schema: Type.Array(
      Type.Object(
        {
          indice: Type.Integer({ description: "Posición en 'Guia', desde 0" }),
          SEND_SUCU_ORIG: Type.String({ description: 'Sucursal de origen', examples: ['MEX01'] }),
          SEND_SUCU_DEST: Type.String({ description: 'Sucursal de destino', examples: ['MTY01'] }),
        },
        { title: 'GuiaValida', description: 'Una guía que se puede crear' },
      ),
    ),
    beside: warnings,
    headers: appliedHeader,
    example: [{ indice: 0, SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'MTY01' }],
  },
});

/** `POST /api/guias/validar` (docs/contract.md "Guides"). */
export default async function validationRoute(server: HttpServer): Promise<void> {
  server.post('/validar', route, async (request, reply) => {
    const sent = readGuides(request, reply);
    const { origin, destinations, warnings } = await validateGuides(server.branches, sent);
    const valid = destinations.map(({ code }, indice) => ({
      indice,
      SEND_SUCU_ORIG: origin.code,
      SEND_SUCU_DEST: code,
    }));
    return { ...route.ok(valid), ...toWarnings(warnings) };
  });
}
