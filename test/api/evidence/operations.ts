import { Client } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import type { Operations, World } from '#test/fixtures/operations.ts';
import { pathOf, put } from './fixture.ts';
import { png } from './pictures.ts';

/** A guide of `demo` with ten deliveries, each with three pictures. */
const proven = ({ once, url, scanner, demo, newGuides }: World) =>
  once('a proven guide', async () => {
    const [guide = ''] = await newGuides(1);
    const sender = new Client(url, scanner.token);
    const ids = Array.from({ length: 10 }, (_, i) => `e${i}`);
    await sender.post('/api/eventos', { Eventos: ids.map((Id) => event(guide, 'Entregado', { Id })) });
    for (const id of ids) {
      for (const picture of ['firma', 'foto1', 'foto2']) await put(sender, pathOf(guide, id, picture));
    }
    return { guide, demo };
  });

export const operations: Operations = {
  guardarEvidencia: {
    route: 'PUT /api/eventos/{guia}/{Id}/evidencia/{imagen}',
    permission: 'eventos.create',
    // As many pixels as are decoded.
    largest: async (world) => {
      const { guide } = await proven(world);
      const body = await world.once('a large picture', async () => png(4_000, 4_000, (x) => [x % 2, 0, 0]));
      const path = pathOf(guide, `e${Math.floor(10 * Math.random())}`, 'foto3');
      return { by: world.scanner, path, headers: { 'content-type': 'image/png' }, body };
    },
  },
  listarEvidencia: {
    route: 'GET /api/guias/{guia}/evidencia',
    permission: 'guias.read',
    largest: async (world) => ({ path: `/api/guias/${(await proven(world)).guide}/evidencia` }),
  },
  obtenerEvidencia: {
    route: 'GET /api/guias/{guia}/evidencia/{Id}/{imagen}',
    permission: 'guias.read',
    largest: async (world) => ({ path: `/api/guias/${(await proven(world)).guide}/evidencia/e1/firma` }),
  },
  imprimirComprobante: {
    route: 'GET /api/guias/{guia}/comprobante',
    permission: 'guias.read',
    largest: async (world) => ({ path: `/api/guias/${(await proven(world)).guide}/comprobante` }),
  },
};
