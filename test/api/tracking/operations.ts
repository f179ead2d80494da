import { randomUUID } from 'node:crypto';
import { weighings } from '#test/bench/load/hostile-bodies.ts';
import { MOST, type Operations } from '#test/fixtures/operations.ts';

export const operations: Operations = {
  registrarEventos: {
    route: 'POST /api/eventos',
    permission: 'eventos.create',
    largest: async ({ once, heavyGuides, demo, scanner }) => {
      const { numbers } = await once('a guide to weigh', () => heavyGuides(demo, 1));
      return { by: scanner, body: { Eventos: weighingsOf(numbers[0] ?? '') } };
    },
  },
  listarEventos: {
    route: 'GET /api/eventos',
    permission: 'guias.read',
    largest: () => ({ path: `/api/eventos?limite=${MOST}` }),
  },
  listarEventosDeGuia: {
    route: 'GET /api/guias/{guia}/eventos',
    permission: 'guias.read',
    largest: ({ full }) => ({ path: `/api/guias/${full}/eventos` }),
  },
  cancelarGuia: {
    route: 'POST /api/guias/{guia}/cancelar',
    permission: 'guias.cancel',
    largest: async ({ newGuides }) => ({ path: `/api/guias/${(await newGuides(1))[0]}/cancelar` }),
  },
};

/** As many weighings of a guide as a request may have. */
export function weighingsOf(Guia: string): object[] {
  const Ocurrido = new Date().toISOString();
  return weighings({ Guia, Ocurrido }).map((each) => ({ ...each, Id: randomUUID() }));
}
