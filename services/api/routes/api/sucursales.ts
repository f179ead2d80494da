import { Type } from 'typebox';
import { type Branch, branchCode } from '#shared/contracts/branch.ts';
import { DomainError } from '#shared/errors.ts';
import { type HttpServer, ok } from '#shared/http/http-server.ts';
import type { BranchesClient } from '../../branches/branches-client.ts';
import { describe } from '../operation.ts';

const permission = 'guias.read';
const config = { permission } as const;

const EXAMPLE: Branch = {
  Codigo: 'MEX01',
  Nombre: 'Ciudad de México Juárez',
  Estado: 'Ciudad de México',
  Municipio: 'Cuauhtémoc',
  Colonia: 'Juárez',
  Calle: 'Av. Paseo de la Reforma',
  Numero: '250',
  CodigoPostal: '06600',
  Telefono: '5550000101',
  Origen: true,
  Destino: true,
  Activa: true,
};
const listing = (id: string, summary: string) =>
  describe({
    id,
    tag: 'Sucursales',
    summary,
    description: 'Sucursales activas, ordenadas por Codigo.',
    permission,
    data: { message: 'Sucursales: 1', schema: Type.Array(Type.Ref('Sucursal')), example: [EXAMPLE] },
  });
const coverage = describe({
  id: 'cobertura',
  tag: 'Sucursales',
  summary: 'Cobertura de un código postal',
  permission,
  errors: ['postal-code-uncovered'],
  data: {
    message: 'Codigo postal con cobertura',
    schema: Type.Object({ CodigoPostal: Type.String(), Sucursal: Type.Ref('Sucursal') }),
    example: { CodigoPostal: '06600', Sucursal: EXAMPLE },
  },
});
const validDestination = describe({
  id: 'validarDestino',
  tag: 'Guías',
  summary: 'Validar un código de destino',
  permission,
  errors: ['destination-invalid'],
  data: { message: 'Destino valido', schema: Type.Ref('Sucursal'), example: EXAMPLE },
});

/** `/api/sucursales…` (docs/contract.md "Branches"). */
export function branchRoutes(branches: BranchesClient) {
  return async (server: HttpServer) => {
    const list = (path: string, schema: object, wanted: (branch: Branch) => boolean) =>
      server.get(path, { config, schema }, async (request) => {
        const found = (await branches.active(request.id)).filter(wanted);
        return ok(`Sucursales: ${found.length}`, found);
      });
    list('', listing('sucursales', 'Todas las sucursales'), () => true);
    list('/destinos', listing('destinos', 'Sucursales de destino'), ({ Destino }) => Destino);
    list('/origenes', listing('origenes', 'Sucursales de origen'), ({ Origen }) => Origen);

    const params = Type.Object({ cp: Type.String({ description: 'Código postal', examples: ['06600'] }) });
    server.get('/cobertura/:cp', { config, schema: { params, ...coverage } }, async (request) => {
      // It is the caller's own text and comes back in the message, so it is cut to what may be one.
      const postalCode = request.params.cp.trim().slice(0, 20);
      const branch = await branches.destination({ postalCode }, request.id);
      if (!branch) throw new DomainError('postal-code-uncovered', { params: { postalCode } });
      return ok('Codigo postal con cobertura', { CodigoPostal: postalCode, Sucursal: branch });
    });
  };
}

/** `GET /api/guias/validar-destino/{code}` (docs/contract.md "Branches"). */
export function destinationRoute(branches: BranchesClient) {
  const params = Type.Object({
    code: Type.String({ description: 'Código de sucursal', examples: ['MEX01'] }),
  });
  return async (server: HttpServer) => {
    server.get(
      '/validar-destino/:code',
      { config, schema: { params, ...validDestination } },
      async (request) => {
        const branch = await branches.destination({ code: branchCode(request.params.code) }, request.id);
        if (!branch) throw new DomainError('destination-invalid');
        return ok('Destino valido', branch);
      },
    );
  };
}
