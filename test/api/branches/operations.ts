import { COLONIAS_CODE } from '#test/bench/load/hostile-bodies.ts';
import type { Operations } from '#test/fixtures/operations.ts';

export const operations: Operations = {
  listarSucursales: { route: 'GET /api/sucursales', permission: 'guias.read' },
  listarDestinos: { route: 'GET /api/sucursales/destinos', permission: 'guias.read' },
  listarOrigenes: { route: 'GET /api/sucursales/origenes', permission: 'guias.read' },
  consultarCodigoPostal: {
    route: 'GET /api/codigos-postales/{cp}',
    permission: 'guias.read',
    largest: () => ({ path: `/api/codigos-postales/${COLONIAS_CODE}` }),
  },
  listarCobertura: { route: 'GET /api/sucursales/cobertura', permission: 'guias.read' },
  consultarCobertura: {
    route: 'GET /api/sucursales/cobertura/{cp}',
    permission: 'guias.read',
    largest: () => ({ path: `/api/sucursales/cobertura/${COLONIAS_CODE}` }),
  },
};
