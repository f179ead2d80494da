import { Type } from 'typebox';
import { type Branch, branchCode } from '../../../../shared/branch.ts';
import { DomainError } from '../../../../shared/errors.ts';
import { type HttpServer, ok } from '../../../../shared/http-server.ts';
import type { BranchesClient } from '../../branches-client.ts';

const config = { permission: 'guias.read' } as const;

/** `/api/sucursales…` (specification, "Endpoints"; contract, "Branches"). */
export function branchRoutes(branches: BranchesClient) {
  return async (server: HttpServer) => {
    const listing = (path: string, wanted: (branch: Branch) => boolean) =>
      server.get(path, { config }, async (request) => {
        const found = (await branches.active(request.id)).filter(wanted);
        return ok(`Sucursales: ${found.length}`, found);
      });
    listing('/', () => true);
    listing('/destinos', ({ Destino }) => Destino);
    listing('/origenes', ({ Origen }) => Origen);

    server.get(
      '/cobertura/:cp',
      { config, schema: { params: Type.Object({ cp: Type.String() }) } },
      async (request) => {
        const postalCode = request.params.cp.trim();
        const branch = await branches.destination({ postalCode }, request.id);
        if (!branch) throw new DomainError('postal-code-uncovered', { params: { postalCode } });
        return ok('Codigo postal con cobertura', { CodigoPostal: postalCode, Sucursal: branch });
      },
    );
  };
}

/** `GET /api/guias/validar-destino/{code}` (specification, "Endpoints"; contract, "Branches"). */
export function destinationRoute(branches: BranchesClient) {
  return async (server: HttpServer) => {
    server.get(
      '/validar-destino/:code',
      { config, schema: { params: Type.Object({ code: Type.String() }) } },
      async (request) => {
        const branch = await branches.destination({ code: branchCode(request.params.code) }, request.id);
        if (!branch) throw new DomainError('destination-invalid');
        return ok('Destino valido', branch);
      },
    );
  };
}
