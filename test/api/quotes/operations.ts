import { mostGuides, type Operations } from '#test/fixtures/operations.ts';

export const operations: Operations = {
  cotizarGuias: {
    route: 'POST /api/guias/cotizar',
    permission: 'guias.quote',
    largest: async ({ once, heavyGuides, demo }) => {
      const { Cotizacion } = await once('a quote', () => heavyGuides(demo, 1));
      return { body: { Guia: mostGuides(Cotizacion).Guia } };
    },
  },
};
