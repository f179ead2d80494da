import { Type } from 'typebox';
import type { Branch } from '#shared/contracts/branch.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { abortSignalOf, apiUser } from '../hooks/authenticate.ts';
import { BRANCH_EXAMPLE } from '../openapi/examples.ts';
import { operation } from '../openapi/operation.ts';
import { BranchAnswer } from '../openapi/schemas.ts';

const coverage = operation({
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
/** The message echoes the postal code, cut to this many characters. */
const MAX_LENGTH = 20;

const listing = (id: string, summary: string) =>
  operation({
    id,
    tag: 'Sucursales',
    summary,
    description: 'Sucursales activas, ordenadas por Codigo.',
    permission: 'guias.read',
    data: {
      name: 'Sucursales',
      message: (branches) => `Sucursales: ${branches.length}`,
      schema: Type.Array(BranchAnswer),
      example: [BRANCH_EXAMPLE],
    },
  });

/** `GET /api/sucursales` and below it `/cobertura/{cp}`, `/destinos`, `/origenes` (docs/contract.md "Branches"). */
export async function branchRoutes(server: HttpServer): Promise<void> {
  server.get('/api/sucursales/cobertura/:cp', coverage, async (request, reply) => {
    const postalCode = request.params.cp.trim().slice(0, MAX_LENGTH);
    const caller = { requestId: request.id, account: apiUser(request).account, signal: abortSignalOf(reply) };
    const branch = await server.branches.destination({ postalCode }, caller);
    if (!branch) throw new DomainError('postal-code-uncovered', { params: { postalCode } });
    return coverage.ok({ CodigoPostal: postalCode, Sucursal: branch });
  });
  const list = (path: string, route: ReturnType<typeof listing>, wanted: (branch: Branch) => boolean) =>
    server.get(`/api/sucursales${path}`, route, async ({ id }) =>
      route.ok((await server.branches.active(id)).filter(wanted)),
    );
  list('', listing('listarSucursales', 'Todas las sucursales'), () => true);
  list('/destinos', listing('listarDestinos', 'Sucursales de destino'), ({ Destino }) => Destino);
  list('/origenes', listing('listarOrigenes', 'Sucursales de origen'), ({ Origen }) => Origen);
}
