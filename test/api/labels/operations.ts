import { MOST, type Operations } from '#test/fixtures/operations.ts';

const label = (path: string): Operations[string] => ({
  route: `GET /api/guias/${path}/{guia}`,
  permission: 'guias.read',
  largest: ({ full }) => ({ path: `/api/guias/${path}/${full}` }),
});

export const operations: Operations = {
  obtenerEtiqueta: label('etiqueta'),
  obtenerEtiqueta10x15: label('etiqueta-10x15'),
  obtenerEtiquetaPequena: label('etiqueta-pequena'),
  imprimirEtiquetas: {
    route: 'POST /api/guias/etiquetas',
    permission: 'guias.read',
    largest: async ({ once, newGuides }) => ({
      body: { Guias: await once('many guides', () => newGuides(MOST)), Tipo: 'carta' },
    }),
  },
};
