import { expect } from 'vitest';
import { type Answer, minimalGuide } from '#test/fixtures/client.ts';
import { type Api, type Conformance, createdGuide, no, type User } from '#test/fixtures/conformance.ts';

const GOODS = { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15, ValorDeclarado: 1500 };
/** A guide from a branch to Monterrey, with parts replaced. */
const priced = (parts: object) => ({ ...minimalGuide({ CodigoPostal: '64000' }), Producto: GOODS, ...parts });
/** Asks a user's price of goods in Monterrey. */
const quote =
  (goods: object, user: User = 'demo') =>
  ({ users }: Api) =>
    users[user].post('/api/guias/cotizar', {
      Guia: [{ Destinatario: { CodigoPostal: '64000' }, Producto: { ...GOODS, ...goods } }],
    });
/** Asks with the quote of `otro` for the same. */
const quoted =
  (ask: (users: Api['users'], quote: string | undefined) => Promise<Answer>) =>
  async (api: Api): Promise<Answer> => {
    const { body } = await quote({}, 'otro')(api);
    const [answer] = body.data as { Opciones: { Cotizacion: string }[] }[];
    return ask(api.users, answer?.Opciones[0]?.Cotizacion);
  };
const optionOf = (TipoServicio: string, SEND_FLETE: number, SEND_TOTAL: number) =>
  expect.objectContaining({ TipoServicio, Moneda: 'MXN', SEND_FLETE, SEND_TOTAL });

export const conformance: Conformance = {
  sections: {
    Quotes: [
      [
        'an option for each service, of the list of the account',
        quote({}),
        {
          message: 'Cotizaciones: 1',
          data: [
            {
              ...{ indice: 0, SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'MTY01' },
              Opciones: [optionOf('Domicilio', 127.8, 194.3), optionOf('the service', 108.9, 169.85)],
            },
          ],
        },
      ],
      ['guias.quote is missing', quote({}, 'demo2'), no('sin_permiso')],
      ['a measure is missing', quote({ Peso: null }), no('campo_requerido', { campo: 'Producto.Peso' })],
      ['a package is too heavy', quote({ Peso: 71 }), no('medidas_excedidas', { campo: 'Producto.Peso' })],
      [
        'a guide costs what was quoted',
        quoted(({ otro }, Cotizacion) => otro.create([priced({ Cotizacion })])),
        {
          data: [{ ...createdGuide('MTY01'), SEND_SUCU_ORIG: 'GDL01', SEND_FLETE: 163, SEND_TOTAL: 239.83 }],
        },
      ],
      [
        'a quote of another account',
        quoted(({ demo }, Cotizacion) => demo.create([priced({ Cotizacion })])),
        no('cotizacion_invalida', { campo: 'Cotizacion' }),
      ],
      [
        'a guide that does not fit in its quote',
        quoted(({ otro }, Cotizacion) =>
          otro.create([priced({ Cotizacion, Producto: { ...GOODS, Peso: 3 } })]),
        ),
        no('cotizacion_distinta', { campo: 'Producto.Peso' }),
      ],
    ],
  },
  refusals: {
    medidas_excedidas: [
      400,
      'Medidas excedidas: el paquete pesa 71 kg, real o volumetrico, y el maximo es 70 kg',
    ],
    cotizacion_invalida: [400, 'La cotizacion no es valida: esta alterada, o es de otra cuenta'],
    cotizacion_distinta: [409, "El campo 'Producto.Peso' es 3 kg y se cotizo 2.5 kg"],
  },
  elsewhere: {
    sin_tarifa: 'test/api/quotes/quotes.test.ts',
    cotizacion_requerida: 'test/api/quotes/unquoted.test.ts',
    sin_precio: 'test/api/quotes/unquoted.test.ts',
    cotizacion_vencida: 'test/api/quotes/quotes.test.ts',
    cotizacion_retirada: 'test/api/quotes/quotes.test.ts',
  },
};
