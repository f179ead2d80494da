import type { Operations, World } from '#test/fixtures/operations.ts';

async function newWebhook({ demo }: World): Promise<string> {
  const { body } = await demo.post('/api/webhooks', { Url: 'https://example.com/a' });
  return `/api/webhooks/${(body.data as { Id: string }).Id}`;
}
/** One that all requests but the last share: an account has few. */
const hook = (world: World) => world.once('a webhook', () => newWebhook(world));
const permission = 'webhooks.admin';

export const operations: Operations = {
  crearWebhook: {
    ...{ route: 'POST /api/webhooks', permission },
    largest: () => ({ body: { Url: `https://example.com/${'a'.repeat(470)}` } }),
  },
  listarWebhooks: { route: 'GET /api/webhooks', permission },
  consultarWebhook: {
    ...{ route: 'GET /api/webhooks/{id}', permission },
    largest: async (world) => ({ path: await hook(world) }),
  },
  cambiarWebhook: {
    ...{ route: 'PATCH /api/webhooks/{id}', permission },
    largest: async (world) => ({ path: await hook(world), body: { Descripcion: 'a'.repeat(120) } }),
  },
  probarWebhook: {
    ...{ route: 'POST /api/webhooks/{id}/probar', permission },
    largest: async (world) => ({ path: `${await hook(world)}/probar` }),
  },
  cambiarSecretoDeWebhook: {
    ...{ route: 'POST /api/webhooks/{id}/secreto', permission },
    largest: async (world) => ({ path: `${await hook(world)}/secreto` }),
  },
  activarWebhook: {
    ...{ route: 'POST /api/webhooks/{id}/activar', permission },
    largest: async (world) => ({ path: `${await hook(world)}/activar` }),
  },
  eliminarWebhook: {
    ...{ route: 'DELETE /api/webhooks/{id}', permission },
    largest: async (world) => ({ path: await newWebhook(world) }),
  },
};
