import { weighings } from '#test/bench/load/hostile-bodies.ts';
import type { Operations } from '#test/fixtures/operations.ts';

export const operations: Operations = {
  simularEventos: {
    route: 'POST /api/guias/{guia}/simular',
    permission: 'guias.create',
    largest: async ({ heavyGuides, rehearsing }) => {
      const { numbers } = await heavyGuides(rehearsing, 1);
      return { by: rehearsing, path: `/api/guias/${numbers[0]}/simular`, body: { Eventos: weighings() } };
    },
  },
};
