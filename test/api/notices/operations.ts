import { NOTICE_STATES } from '#shared/notices/notice-model.ts';
import type { Operations } from '#test/fixtures/operations.ts';

const permission = 'avisos.admin';

export const operations: Operations = {
  consultarAvisos: { route: 'GET /api/avisos', permission },
  cambiarAvisos: {
    ...{ route: 'PUT /api/avisos', permission },
    largest: () => ({ body: { Activo: false, Estatus: NOTICE_STATES } }),
  },
  listarAvisosDeGuia: {
    ...{ route: 'GET /api/guias/{guia}/avisos', permission: 'guias.read' },
    largest: ({ full }) => ({ path: `/api/guias/${full}/avisos` }),
  },
};
