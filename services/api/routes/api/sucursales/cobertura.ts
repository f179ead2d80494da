import { Type } from 'typebox';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { whenGone } from '../../authenticate.ts';
import { BRANCH_EXAMPLE } from '../../examples.ts';
import { operation } from '../../operation.ts';
import { BranchAnswer } from '../../schemas.ts';

const route = operation({
  id: 'consultarCobertura',
  tag: 'Sucursales',
  summary: 'Cobertura de un código postal',
  permission: 'guias.read',
  request: {
    params: Type.Object({ cp: Type.String({ description: 'Código postal', examples: ['06600'] }) }),
  },
  errors: ['postal-code-uncovered'],
  data: {
    name: 'Cobertura',
    message: 'Codigo postal con cobertura',
    schema: Type.Object(
      { CodigoPostal: Type.String(), Sucursal: BranchAnswer },
      { title: 'Cobertura', description: 'La sucursal que entrega en un código postal' },
    ),
    example: { CodigoPostal: '06600', Sucursal: BRANCH_EXAMPLE },
  },
});
/** The postal code is the caller's own text and comes back in the message, so it is cut to this many characters. */
const MAX_LENGTH = 20;

/** `GET /api/sucursales/cobertura/{cp}` (docs/contract.md "Branches"). */
export default async function coverageRoute(server: HttpServer): Promise<void> {
  server.get('/cobertura/:cp', route, async ({ params, id }, reply) => {
    const postalCode = params.cp.trim().slice(0, MAX_LENGTH);
    const asker = { requestId: id, gone: whenGone(reply) };
    const branch = await server.branches.destination({ postalCode }, asker);
    if (!branch) throw new DomainError('postal-code-uncovered', { params: { postalCode } });
    return route.ok({ CodigoPostal: postalCode, Sucursal: branch });
  });
}
