import { randomUUID } from 'node:crypto';
import { MOST, mostGuides, type Operations, type World } from '#test/fixtures/operations.ts';

const guides = async ({ once, heavyGuides, demo }: World) => {
  const { Cotizacion } = await once('a quote', () => heavyGuides(demo, 1));
  return mostGuides(Cotizacion);
};

export const operations: Operations = {
  crearGuias: {
    route: 'POST /api/guias/crear',
    permission: 'guias.create',
    largest: async (world) => ({ body: await guides(world), headers: { 'idempotency-key': randomUUID() } }),
  },
  validarGuias: {
    route: 'POST /api/guias/validar',
    permission: 'guias.create',
    largest: async (world) => ({ body: await guides(world) }),
  },
  validarDestino: {
    route: 'GET /api/guias/validar-destino/{code}',
    permission: 'guias.read',
    largest: () => ({ path: '/api/guias/validar-destino/MTY01' }),
  },
  listarGuias: {
    route: 'GET /api/guias',
    permission: 'guias.read',
    largest: () => ({ path: `/api/guias?limite=${MOST}` }),
  },
  obtenerGuia: {
    route: 'GET /api/guias/{guia}',
    permission: 'guias.read',
    largest: ({ full }) => ({ path: `/api/guias/${full}` }),
  },
};
