import { randomUUID } from 'node:crypto';
import { fullGuide } from '#test/fixtures/client.ts';
import { MOST, type Operations, type World } from '#test/fixtures/operations.ts';

const { Remitente, Producto } = fullGuide();
const LARGEST = {
  Remitente,
  Producto,
  TipoServicio: 'the service',
  DestinoCode: 'MEX01',
  Motivo: 'garantia',
};

/** A guide that has a return. */
const returned = ({ once, demo, newGuides }: World) =>
  once('a guide with a return', async () => {
    const [number = ''] = await newGuides(1);
    await demo.post(`/api/guias/${number}/devolucion`, { Anticipada: true });
    return number;
  });
const fresh = async ({ newGuides }: World) => (await newGuides(1))[0] ?? '';

export const operations: Operations = {
  crearDevolucion: {
    route: 'POST /api/guias/{guia}/devolucion',
    permission: 'guias.create',
    largest: async (world) => ({
      path: `/api/guias/${await fresh(world)}/devolucion`,
      body: { ...LARGEST, Anticipada: true },
      headers: { 'idempotency-key': randomUUID() },
    }),
  },
  cotizarDevolucion: {
    route: 'POST /api/guias/{guia}/devolucion/cotizar',
    permission: 'guias.quote',
    largest: async (world) => ({
      path: `/api/guias/${await fresh(world)}/devolucion/cotizar`,
      body: { Remitente, Producto, TipoServicio: 'the service', DestinoCode: 'MEX01' },
    }),
  },
  listarDevoluciones: {
    route: 'GET /api/devoluciones',
    permission: 'guias.read',
    largest: () => ({ path: `/api/devoluciones?limite=${MOST}` }),
  },
  crearEnlaceDeDevolucion: {
    route: 'POST /api/guias/{guia}/devolucion/enlace',
    permission: 'guias.create',
    largest: async (world) => ({ path: `/api/guias/${await returned(world)}/devolucion/enlace`, body: '' }),
  },
  terminarEnlaceDeDevolucion: {
    route: 'DELETE /api/guias/{guia}/devolucion/enlace',
    permission: 'guias.create',
    largest: async (world) => ({ path: `/api/guias/${await returned(world)}/devolucion/enlace` }),
  },
};
