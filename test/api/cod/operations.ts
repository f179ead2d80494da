import { MOST, type Operations, type World } from '#test/fixtures/operations.ts';

/** As many guides as a page has, each with money. */
const collected = ({ once, newGuides, scanner }: World) =>
  once('money collected', async () => {
    const Ocurrido = new Date().toISOString();
    const Cobrado = { Monto: 450.5, Medio: 'efectivo' };
    const Eventos = (await newGuides(MOST)).map((Guia) => ({ Guia, Tipo: 'Entregado', Ocurrido, Cobrado }));
    await scanner.post('/api/eventos', { Eventos });
  });
const permission = 'guias.cobro';

export const operations: Operations = {
  listarCobros: {
    ...{ route: 'GET /api/cobros', permission },
    largest: async (world) => {
      await collected(world);
      return { path: `/api/cobros?limite=${MOST}` };
    },
  },
  listarLiquidaciones: {
    ...{ route: 'GET /api/liquidaciones', permission },
    largest: () => ({ path: `/api/liquidaciones?limite=${MOST}` }),
  },
  obtenerLiquidacion: {
    ...{ route: 'GET /api/liquidaciones/{liquidacion}', permission },
    largest: () => ({ path: `/api/liquidaciones/L48291365074?limite=${MOST}` }),
  },
};
