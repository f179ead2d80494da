import type { Operations, World } from '#test/fixtures/operations.ts';

async function newKey({ demo }: World): Promise<string> {
  const { body } = await demo.post('/api/llaves', { Nombre: 'una' });
  return `/api/llaves/${(body.data as { Id: string }).Id}`;
}

export const operations: Operations = {
  crearLlave: {
    route: 'POST /api/llaves',
    permission: 'any',
    largest: () => ({ body: { Nombre: 'a'.repeat(60) } }),
  },
  listarLlaves: { route: 'GET /api/llaves', permission: 'any' },
  terminarLlave: {
    route: 'DELETE /api/llaves/{id}',
    permission: 'any',
    largest: async (world) => ({ path: await newKey(world) }),
  },
};
