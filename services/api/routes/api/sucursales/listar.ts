import { Type } from 'typebox';
import type { Branch } from '#shared/contracts/branch.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { BRANCH_EXAMPLE } from '../../examples.ts';
import { operation } from '../../operation.ts';
import { BranchAnswer } from '../../schemas.ts';

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

/** `GET /api/sucursales`, `/destinos` and `/origenes` below it (docs/contract.md "Branches"). */
export default async function branchRoutes(server: HttpServer): Promise<void> {
  const list = (path: string, route: ReturnType<typeof listing>, wanted: (branch: Branch) => boolean) =>
    server.get(path, route, async ({ id }) => route.ok((await server.branches.active(id)).filter(wanted)));
  list('/', listing('listarSucursales', 'Todas las sucursales'), () => true);
  list('/destinos', listing('listarDestinos', 'Sucursales de destino'), ({ Destino }) => Destino);
  list('/origenes', listing('listarOrigenes', 'Sucursales de origen'), ({ Origen }) => Origen);
}
