import { randomUUID } from 'node:crypto';
import { MOST, type Operations, type World } from '#test/fixtures/operations.ts';

const manifest = ({ once, demo, newGuides }: World) =>
  once('a manifest', async () => {
    const Guias = await newGuides(MOST);
    const { body } = await demo.post('/api/manifiestos', { Guias });
    return `/api/manifiestos/${(body.data as { Manifiesto: string }).Manifiesto}`;
  });

export const operations: Operations = {
  crearManifiesto: {
    route: 'POST /api/manifiestos',
    permission: 'guias.create',
    largest: async ({ newGuides }) => ({
      body: { Guias: await newGuides(MOST) },
      headers: { 'idempotency-key': randomUUID() },
    }),
  },
  listarManifiestos: {
    route: 'GET /api/manifiestos',
    permission: 'guias.read',
    largest: () => ({ path: `/api/manifiestos?limite=${MOST}` }),
  },
  obtenerManifiesto: {
    route: 'GET /api/manifiestos/{manifiesto}',
    permission: 'guias.read',
    largest: async (world) => ({ path: await manifest(world) }),
  },
  imprimirManifiesto: {
    route: 'GET /api/manifiestos/{manifiesto}/pdf',
    permission: 'guias.read',
    largest: async (world) => ({ path: `${await manifest(world)}/pdf` }),
  },
};
