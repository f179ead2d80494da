import { randomUUID } from 'node:crypto';
import { Client } from '#test/fixtures/client.ts';
import { MOST, type Operations, type World } from '#test/fixtures/operations.ts';
import { newAddress, type Window } from './asking.ts';

const staff = ({ once, url }: World) => once('the staff of pick-ups', () => Client.login(url, 'operaciones'));
const asked = async ({ demo }: World) => {
  const { body } = await demo.get('/api/recolecciones/disponibles?CodigoPostal=64000');
  const [{ SolicitarAntesDe: _, ...Ventana } = {} as Window] = (body.data as { Ventanas: Window[] }).Ventanas;
  return { Ventana, Direccion: newAddress({ CodigoPostal: '64000' }), Paquetes: 1 };
};
/** A pick-up of guides of MEX01, as many as it may have. */
const largestRequest = async (world: World) => {
  const { body } = await world.demo.get('/api/recolecciones/disponibles?CodigoPostal=06600');
  const [{ SolicitarAntesDe: _, ...Ventana } = {} as Window] = (body.data as { Ventanas: Window[] }).Ventanas;
  return {
    Ventana,
    Direccion: newAddress({ Colonia: 'x'.repeat(120), Municipio: 'x'.repeat(120) }),
    Paquetes: MOST,
    Guias: await world.newGuides(MOST),
    Notas: 'x'.repeat(250),
  };
};
const pickup = (world: World) =>
  world.once('a pick-up', async () => {
    const { body } = await world.demo.post('/api/recolecciones', await largestRequest(world));
    return (body.data as { Recoleccion: string }).Recoleccion;
  });
const list = async (world: World, more = '') => {
  const { Ventana } = await asked(world);
  return {
    by: await staff(world),
    path: `/api/recolecciones/del-dia${more}?sucursal=MEX01&fecha=${Ventana.Fecha}`,
  };
};

export const operations: Operations = {
  consultarRecolecciones: {
    route: 'GET /api/recolecciones/disponibles',
    permission: 'guias.read',
    largest: () => ({ path: '/api/recolecciones/disponibles?CodigoPostal=06600' }),
  },
  pedirRecoleccion: {
    route: 'POST /api/recolecciones',
    permission: 'guias.create',
    largest: async (world) => ({
      body: await largestRequest(world),
      headers: { 'idempotency-key': randomUUID() },
    }),
  },
  listarRecolecciones: {
    route: 'GET /api/recolecciones',
    permission: 'guias.read',
    largest: () => ({ path: `/api/recolecciones?limite=${MOST}` }),
  },
  obtenerRecoleccion: {
    route: 'GET /api/recolecciones/{recoleccion}',
    permission: 'guias.read',
    largest: async (world) => ({ path: `/api/recolecciones/${await pickup(world)}` }),
  },
  cancelarRecoleccion: {
    route: 'POST /api/recolecciones/{recoleccion}/cancelar',
    permission: 'guias.create',
    largest: async (world) => {
      const { body } = await world.demo.post('/api/recolecciones', await asked(world));
      const { Recoleccion } = body.data as { Recoleccion: string };
      return { path: `/api/recolecciones/${Recoleccion}/cancelar`, body: '' };
    },
  },
  listarRecoleccionesDelDia: {
    route: 'GET /api/recolecciones/del-dia',
    permission: 'recolecciones.admin',
    largest: (world) => list(world),
  },
  exportarRecoleccionesDelDia: {
    route: 'GET /api/recolecciones/del-dia/csv',
    permission: 'recolecciones.admin',
    largest: (world) => list(world, '/csv'),
  },
  imprimirRecoleccionesDelDia: {
    route: 'GET /api/recolecciones/del-dia/pdf',
    permission: 'recolecciones.admin',
    largest: (world) => list(world, '/pdf'),
  },
  registrarEstados: {
    route: 'POST /api/recolecciones/estado',
    permission: 'recolecciones.admin',
    largest: async (world) => {
      const Recoleccion = await pickup(world);
      return {
        by: await staff(world),
        body: { Estados: Array.from({ length: MOST }, () => ({ Recoleccion, Estado: 'Programada' })) },
      };
    },
  },
};
