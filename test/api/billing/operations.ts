import type { Operations } from '#test/fixtures/operations.ts';

export const operations: Operations = {
  obtenerUso: { route: 'GET /api/uso', permission: 'guias.read' },
  exportarUso: { route: 'GET /api/uso/csv', permission: 'guias.read' },
};
