import { expect } from 'vitest';
import type { Answer } from '#test/fixtures/client.ts';
import {
  type Api,
  type Ask,
  type Conformance,
  get,
  no,
  parameter,
  text,
} from '#test/fixtures/conformance.ts';
import { newAddress, type Window } from './asking.ts';

type Asked = { Ventana: Omit<Window, 'SolicitarAntesDe'>; Direccion: object; Paquetes: number };
const requestOf = async ({ users }: Api, more: object = {}): Promise<Asked> => {
  const { body } = await users.demo.get('/api/recolecciones/disponibles?CodigoPostal=06600');
  const [{ SolicitarAntesDe: _, ...Ventana } = {} as Window] = (body.data as { Ventanas: Window[] }).Ventanas;
  // The running system keeps what earlier runs have asked for.
  return {
    Ventana,
    Direccion: newAddress({ Numero_exterior: crypto.randomUUID().slice(0, 20) }),
    Paquetes: 2,
    ...more,
  };
};
const ask =
  (more: object = {}): Ask =>
  async (api) =>
    api.users.demo.post('/api/recolecciones', await requestOf(api, more));
/** Does something with the number of a new pick-up of `demo`. */
const withPickup =
  (use: (api: Api, pickup: string, request: Asked) => Promise<Answer>): Ask =>
  async (api) => {
    const request = await requestOf(api);
    const { body } = await api.users.demo.post('/api/recolecciones', request);
    return use(api, (body.data as { Recoleccion: string }).Recoleccion, request);
  };
const tell = ({ users }: Api, ...Estados: object[]) =>
  users.operaciones.post('/api/recolecciones/estado', { Estados });
const guideOf = async ({ users }: Api, user: 'demo' | 'otro' = 'demo') =>
  (await users[user].create([{ ...MINIMAL }])).body.data as { SEND_GUIA: string }[];
const MINIMAL = {
  Remitente: { Nombre: 'Ana' },
  Destinatario: { Nombre: 'Luis', CodigoPostal: '64000' },
  Producto: { Contenido: 'Libros' },
  Creado_por: {},
};
const named = async (api: Api, user: 'demo' | 'otro' = 'demo') =>
  (await guideOf(api, user))[0]?.SEND_GUIA ?? '';

export const conformance: Conformance = {
  sections: {
    'The van comes': [
      [
        'when it comes',
        get('/api/recolecciones/disponibles?CodigoPostal=06600'),
        {
          data: expect.objectContaining({
            ...{ CodigoPostal: '06600', Sucursal: 'MEX01', Zona: 'America/Mexico_City' },
          }),
        },
      ],
      [
        'where it does not',
        get('/api/recolecciones/disponibles?CodigoPostal=99999'),
        no('sin_cobertura', { message: 'No hay cobertura para el código postal: 99999', status: 404 }),
      ],
      ['without a postal code', get('/api/recolecciones/disponibles'), parameter('CodigoPostal')],
      [
        'a pick-up is asked for',
        ask({ Peso: 2.5 }),
        {
          message: 'Recoleccion solicitada',
          data: expect.objectContaining({
            Recoleccion: expect.stringMatching(/^R[1-9]\d{10}$/),
            ...{ Sucursal: 'MEX01', Estado: 'Solicitada', Version: 1, Paquetes: 2, Peso: 2.5 },
          }),
        },
      ],
      [
        'a second one at that address',
        withPickup(({ users }, _, request) => users.demo2.post('/api/recolecciones', request)),
        {
          ...{ status: 409, codigo: 'recoleccion_repetida' },
          message: expect.stringMatching(/R\d{11}$/) as unknown as string,
        },
      ],
      [
        'it is read',
        withPickup(({ users }, pickup) => users.demo2.get(`/api/recolecciones/${pickup}`)),
        { message: 'Recoleccion encontrada' },
      ],
      [
        'another account does not see it',
        withPickup(({ users }, pickup) => users.otro.get(`/api/recolecciones/${pickup}`)),
        no('recoleccion_no_encontrada'),
      ],
      ['the list', get('/api/recolecciones', 'lectura'), { message: 'Recolecciones: 0', data: [] }],
      [
        'it is cancelled',
        withPickup(({ users }, pickup) => users.demo.post(`/api/recolecciones/${pickup}/cancelar`, '')),
        { message: 'Recoleccion cancelada', data: expect.objectContaining({ Estado: 'Cancelada' }) },
      ],
      [
        'an unknown window',
        ask({ Ventana: { Fecha: '2031-02-03', Desde: '03:00', Hasta: '04:00' } }),
        no('ventana_no_disponible'),
      ],
      [
        'a window of long ago',
        ask({ Ventana: { Fecha: '2026-01-05', Desde: '09:00', Hasta: '13:00' } }),
        no('ventana_cerrada', {
          message: expect.stringMatching(/^La ventana se pedia hasta 2026-01-04T20:00:00-06:00$/) as never,
        }),
      ],
      [
        'a guide of another branch',
        async (api) => {
          const guide = await named(api, 'otro');
          return api.users.otro.post('/api/recolecciones', { ...(await requestOf(api)), Guias: [guide] });
        },
        no('guia_de_otra_zona', {
          message: 'La guia sale de la sucursal GDL01, y en esa direccion recoge la sucursal MEX01',
        }),
      ],
      [
        'a guide that is in another pick-up',
        async (api) => {
          const Guias = [await named(api)];
          await ask({ Guias })(api);
          return ask({ Guias })(api);
        },
        no('guia_en_recoleccion', { message: expect.stringMatching(/R\d{11}$/) as never }),
      ],
      [
        'a guide that the carrier has',
        async (api) => {
          const Guia = await named(api);
          const Ocurrido = new Date().toISOString();
          await api.users.escaner.post('/api/eventos', {
            Eventos: [{ Guia, Tipo: 'Recolectado', Ocurrido }],
          });
          return ask({ Guias: [Guia] })(api);
        },
        no('guia_no_espera'),
      ],
      [
        'a manifest that is in another pick-up',
        async (api) => {
          const { body } = await api.users.demo.post('/api/manifiestos', { Guias: [await named(api)] });
          const { Manifiesto } = body.data as { Manifiesto: string };
          await ask({ Manifiesto })(api);
          return ask({ Manifiesto })(api);
        },
        no('manifiesto_en_recoleccion', { message: expect.stringMatching(/R\d{11}$/) as never }),
      ],
      [
        'a manifest of another branch',
        async (api) => {
          const { body } = await api.users.otro.post('/api/manifiestos', {
            Guias: [await named(api, 'otro')],
          });
          const { Manifiesto } = body.data as { Manifiesto: string };
          return api.users.otro.post('/api/recolecciones', { ...(await requestOf(api)), Manifiesto });
        },
        no('manifiesto_de_otra_zona', {
          message: 'El manifiesto es de la sucursal GDL01, y en esa direccion recoge la sucursal MEX01',
        }),
      ],
      [
        'a manifest that the carrier has',
        async (api) => {
          const { body } = await api.users.demo.post('/api/manifiestos', { Guias: [await named(api)] });
          const { Manifiesto } = body.data as { Manifiesto: string };
          const Ocurrido = new Date().toISOString();
          await api.users.escaner.post('/api/eventos', { Manifiesto, Tipo: 'Recolectado', Ocurrido });
          return ask({ Manifiesto })(api);
        },
        no('manifiesto_ya_entregado'),
      ],
    ],
    'The van has come': [
      [
        'a test account plays it',
        async (api) => {
          const { prueba } = api.users;
          const [guide] = (await prueba.create([MINIMAL])).body.data as { SEND_GUIA: string }[];
          const Guias = [guide?.SEND_GUIA];
          await prueba.post('/api/recolecciones', { ...(await requestOf(api)), Guias });
          return prueba.post(`/api/guias/${guide?.SEND_GUIA}/simular`, { Escenario: 'recoleccion' });
        },
        { message: 'Eventos: 1' },
      ],
      [
        'it plays none of a guide that waits for no van',
        async ({ users: { prueba } }) => {
          const [guide] = (await prueba.create([MINIMAL])).body.data as { SEND_GUIA: string }[];
          return prueba.post(`/api/guias/${guide?.SEND_GUIA}/simular`, { Escenario: 'recoleccion' });
        },
        no('guia_sin_recoleccion'),
      ],
      [
        'what became of two is told',
        withPickup((api, pickup) =>
          tell(
            api,
            { Recoleccion: pickup, Estado: 'Recolectada' },
            { Recoleccion: 'R48291365075', Estado: 'Programada' },
          ),
        ),
        {
          message: 'Estados registrados: 1',
          data: [
            { indice: 0, Recoleccion: text, resultado: 'registrado' },
            {
              ...{ indice: 1, resultado: 'rechazado', campo: 'Recoleccion' },
              ...{ codigo: 'recoleccion_no_encontrada', message: 'Recoleccion no encontrada' },
            },
          ],
        },
      ],
      [
        'one of a test account is refused',
        (api) => tell(api, { Recoleccion: 'R08291365075', Estado: 'Programada' }),
        { data: [expect.objectContaining({ resultado: 'rechazado', codigo: 'recoleccion_de_prueba' })] },
      ],
      [
        'a customer cancels none that has ended',
        withPickup(async (api, pickup) => {
          await tell(api, { Recoleccion: pickup, Estado: 'Recolectada' });
          return api.users.demo.post(`/api/recolecciones/${pickup}/cancelar`, '');
        }),
        no('recoleccion_terminada', { message: 'La recoleccion esta Recolectada y ya no cambia' }),
      ],
      [
        'no array',
        (api) => api.users.operaciones.post('/api/recolecciones/estado', {}),
        no('estados_array_faltante'),
      ],
      ['an empty array', (api) => tell(api), no('estados_array_vacio')],
      [
        '501 states',
        (api) => tell(api, ...Array.from({ length: 501 }, () => ({}))),
        no('estados_array_largo'),
      ],
      ['no object', (api) => tell(api, 7 as never), no('estado_invalido')],
      [
        'the list of a branch',
        get('/api/recolecciones/del-dia?sucursal=GDL01&fecha=2026-12-01', 'operaciones'),
        { message: 'Recolecciones: 0', data: [] },
      ],
      [
        'the list as a table',
        get('/api/recolecciones/del-dia/csv?sucursal=GDL01&fecha=2026-12-01', 'operaciones'),
        { headers: { 'content-type': 'text/csv; charset=utf-8' } },
      ],
      [
        'its PDF',
        get('/api/recolecciones/del-dia/pdf?sucursal=GDL01&fecha=2026-12-01', 'operaciones'),
        { headers: { 'content-type': 'application/pdf' } },
      ],
      [
        'a customer sees no list of a branch',
        get('/api/recolecciones/del-dia?sucursal=GDL01&fecha=2026-12-01'),
        no('sin_permiso'),
      ],
      [
        'no day',
        get('/api/recolecciones/del-dia?sucursal=GDL01&fecha=2026-02-30', 'operaciones'),
        parameter('fecha'),
      ],
    ],
  },
  refusals: {
    recoleccion_no_encontrada: [404, 'Recoleccion no encontrada'],
    ventana_no_disponible: [409, 'La sucursal no recoge en esa ventana', 'Ventana'],
    ventana_cerrada: [409, '', 'Ventana'],
    guia_de_otra_zona: [409, ''],
    guia_en_recoleccion: [409, ''],
    guia_no_espera: [409, 'La guia ya no espera que la recojan'],
    manifiesto_en_recoleccion: [409, '', 'Manifiesto'],
    manifiesto_de_otra_zona: [409, '', 'Manifiesto'],
    manifiesto_ya_entregado: [409, 'Ninguna guia del manifiesto espera que la recojan', 'Manifiesto'],
    recoleccion_terminada: [409, ''],
    guia_sin_recoleccion: [409, 'La guia no esta en una recoleccion abierta'],
    estados_array_faltante: [400, "El JSON no contiene el array 'Estados'", 'Estados'],
    estados_array_vacio: [400, "El array 'Estados' esta vacio", 'Estados'],
    estados_array_largo: [400, 'Maximo 500 estados por solicitud', 'Estados'],
    estado_invalido: [400, 'El estado debe ser un objeto'],
  },
  elsewhere: {
    ventana_llena: 'test/api/pickups/capacity.test.ts',
    recolecciones_abiertas_demasiadas: 'test/api/pickups/capacity.test.ts',
    recoleccion_despues_del_corte: 'test/api/pickups/pickups.test.ts',
    recolecciones_demasiadas: 'test/api/pickups/pickups-pdf.test.ts',
  },
};
