import { expect } from 'vitest';
import type { Answer, Client } from '#test/fixtures/client.ts';
import {
  type Api,
  type Ask,
  type Conformance,
  cancel,
  field,
  get,
  no,
  text,
  withGuide,
} from '#test/fixtures/conformance.ts';

const EARLY = { Anticipada: true };
/** The original says nothing of its measures, without which nothing has a price. */
const Producto = { Peso: 1, Largo: 10, Alto: 10, Ancho: 10 };
const back = (client: Client, number: string, body: unknown = EARLY, part = '') =>
  client.post(`/api/guias/${number}/devolucion${part}`, body);

/** Does something with the number of a guide of `otro`, and the answer to the creation of its return. */
const withReturn = (use: (users: Api['users'], number: string, back: string) => Promise<Answer>): Ask =>
  withGuide(async (users, number) => {
    const { body } = await back(users.otro, number);
    return use(users, number, (body.data as { SEND_GUIA: string }).SEND_GUIA);
  });

export const conformance: Conformance = {
  sections: {
    Returns: [
      [
        'an early return of a guide without an address, to its branch',
        withGuide(({ otro }, number) => back(otro, number, { ...EARLY, Motivo: 'cambio', Producto })),
        {
          message: 'Devolucion creada',
          data: expect.objectContaining({
            ...{ SEND_GUIA: text, SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'GDL01' },
            ...{ SEND_REMITENTE: 'Luis Perez', SEND_DESTINATARIO: 'Ana Lopez' },
            ...{ DevolucionDe: text, Anticipada: true, MotivoDevolucion: 'cambio' },
          }),
        },
      ],
      [
        'the original names it',
        withReturn(({ otro }, number) => otro.get(`/api/guias/${number}`)),
        { data: expect.objectContaining({ Devolucion: text }) },
      ],
      [
        'a second return',
        withReturn(({ otro }, number) => back(otro, number)),
        {
          ...{ status: 409, codigo: 'devolucion_existente', campo: 'guia' },
          message: expect.stringMatching(/^La guia ya tiene la devolucion \d{12}$/) as unknown as string,
        },
      ],
      [
        'another one after a cancellation',
        withReturn(async ({ otro }, number, first) => {
          await cancel(otro, first);
          return back(otro, number, { ...EARLY, Producto });
        }),
        { message: 'Devolucion creada' },
      ],
      [
        'a return of a return',
        withReturn(({ otro }, _, first) => back(otro, first)),
        no('devolucion_de_devolucion'),
      ],
      [
        'of a guide that is not delivered',
        withGuide(({ otro }, number) => back(otro, number, {})),
        no('guia_no_entregada'),
      ],
      [
        'of a cancelled guide',
        withGuide(async ({ otro }, number) => {
          await cancel(otro, number);
          return back(otro, number);
        }),
        no('guia_cancelada'),
      ],
      [
        "of another account's guide",
        ({ users, number }) => back(users.otro, number),
        no('guia_no_encontrada'),
      ],
      [
        'more packages than the original has',
        withGuide(({ otro }, number) => back(otro, number, { ...EARLY, Producto: { Paquetes: 2 } })),
        field(
          'campo_formato',
          'Producto.Paquetes',
          'debe ser un numero entero de 1 a 1: la guia original no tiene mas',
        ),
      ],
      [
        'to a door that the sender does not have',
        withGuide(({ otro }, number) => back(otro, number, { ...EARLY, TipoServicio: 'Domicilio' })),
        no('devolucion_sin_domicilio'),
      ],
      [
        'a price without measures',
        withGuide(({ otro }, number) => back(otro, number, {}, '/cotizar')),
        field('campo_requerido', 'Producto.Peso', 'es requerido'),
      ],
      [
        'a price',
        withGuide(({ otro }, number) => back(otro, number, { Producto }, '/cotizar')),
        {
          message: 'Cotizacion de la devolucion',
          data: expect.objectContaining({ SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'GDL01' }),
        },
      ],
      ['the list', get('/api/devoluciones', 'lectura'), { message: 'Devoluciones: 0', data: [] }],
      [
        'a link',
        withReturn(({ otro }, number) => back(otro, number, '', '/enlace')),
        {
          message: 'Enlace creado',
          data: { SEND_GUIA: text, Enlace: expect.stringMatching(/\/devolver\/[\w-]{22}$/), Vence: text },
        },
      ],
      [
        'the end of a link',
        withReturn(({ otro }, number) =>
          otro.post(`/api/guias/${number}/devolucion/enlace`, '', {}, 'DELETE'),
        ),
        { message: 'Enlace terminado', data: null },
      ],
      [
        'a link of no return',
        withGuide(({ otro }, number) => back(otro, number, '', '/enlace')),
        no('devolucion_no_encontrada'),
      ],
    ],
  },
  refusals: {
    devolucion_de_devolucion: [409, 'La guia ya es una devolucion', 'guia'],
    guia_no_entregada: [409, 'La guia no se ha entregado', 'guia'],
    devolucion_no_encontrada: [404, 'La guia no tiene una devolucion abierta', 'guia'],
    devolucion_sin_domicilio: [
      400,
      'El remitente no tiene un domicilio que esa sucursal cubra; con the service se recoge en ella',
      'DestinoCode',
    ],
  },
  elsewhere: {
    devolucion_sin_destino: 'test/api/returns/plan-return.test.ts',
    devolucion_sin_origen: 'test/api/returns/plan-return.test.ts',
    guia_anonimizada: 'test/api/returns/plan-return.test.ts',
  },
};
