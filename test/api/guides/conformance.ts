import { randomUUID } from 'node:crypto';
import { minimalGuide } from '#test/fixtures/client.ts';
import {
  type Ask,
  type Conformance,
  CREATE,
  cancel,
  create,
  createdGuide,
  domicilio,
  empty,
  field,
  get,
  guide,
  missing,
  NOT_FOUND,
  no,
  noObject,
  ONE,
  parameter,
  post,
  required,
  to,
  uncovered,
  withGuide,
} from '#test/fixtures/conformance.ts';

/** Creates guides, and again others, with one key. */
const twice =
  (one: unknown, other: unknown): Ask =>
  async ({ users }) => {
    const key = { 'idempotency-key': randomUUID() };
    await users.demo.post(CREATE, one, key);
    return users.demo.post(CREATE, other, key);
  };
const UNCOVERED = minimalGuide({ CodigoPostal: '99999' });
const MISSPELT = { CodigoPostal: '06600', Estdo: 'x' };
const withGoods = (goods: object) => ({ ...minimalGuide(), Producto: { Contenido: 'Libros', ...goods } });
const warning = (indice: number, campo: string, characters: string) => ({
  indice,
  campo,
  codigo: 'caracteres_no_imprimibles',
  message: `El campo '${campo}' se imprime con • en vez de: ${characters}`,
});
const ESTDO = {
  campo: 'Destinatario.Estdo',
  codigo: 'campo_desconocido',
  message: "Campo desconocido: 'Destinatario.Estdo'; ¿quiso decir 'Estado'?",
};
const TO_PUEBLA = { SEND_SUCU_DEST: 'PUE01' };
const AT_CODE = { campo: 'Destinatario.DestinoCode' };
const AT_POSTAL_CODE = { campo: 'Destinatario.CodigoPostal' };

export const conformance: Conformance = {
  sections: {
    'Messages and statuses': [
      ['TipoServicio is missing', post(CREATE, { Guia: ONE }), no('tipo_servicio_requerido')],
      ['TipoServicio has another value', create(ONE, 'demo', 'Ocurre'), no('tipo_servicio_invalido')],
      ['the user has no origin branch', create(ONE, 'sinorigen'), no('origen_no_asignado')],
      ['the origin branch is disabled', create(ONE, 'inactiva'), no('origen_invalido')],
      ['DestinoCode is not a valid branch', to({ DestinoCode: 'NADA9' }), no('destino_invalido', AT_CODE)],
      ['the postal code has no branch', to({ CodigoPostal: '99999' }), uncovered('99999', AT_POSTAL_CODE)],
      ['neither destination field', to({}), no('destino_requerido')],
      ['the Guia array is missing', post(CREATE, { TipoServicio: 'Domicilio' }), missing('Guia')],
    ],
    Guides: [
      ['a guide without a warning', create(ONE), { message: 'Guias creadas: 1' }],
      [
        'the smallest guide is accepted, and warned of a home without street and number',
        create([{ ...minimalGuide(), Destinatario: { Nombre: 'Luis', CodigoPostal: '06600' } }]),
        {
          message: 'Guias creadas: 1',
          advertencias: [
            {
              indice: 0,
              campo: 'Destinatario.Calle',
              codigo: 'domicilio_incompleto',
              message: 'La entrega es a domicilio y falta: Destinatario.Calle, Destinatario.Numero_exterior',
            },
          ],
        },
      ],
      [
        'a postal code of another state than the address says gives a warning',
        to({ CodigoPostal: '06600', Estado: 'Jalisco' }),
        {
          advertencias: [
            {
              indice: 0,
              campo: 'Destinatario.CodigoPostal',
              codigo: 'cp_y_estado_distintos',
              message: 'El código postal 06600 es de Ciudad de México y el estado dice Jalisco',
            },
          ],
        },
      ],
      [
        'the sender has a return address, by the rules of the recipient',
        create([{ ...minimalGuide(), Remitente: { Nombre: 'Ana', CodigoPostal: '6600' } }]),
        field('campo_formato', 'Remitente.CodigoPostal', 'debe tener 5 digitos'),
      ],
      [
        'the service: pick-up at a branch',
        create(ONE, 'demo', 'the service'),
        { message: 'Guias creadas: 1' },
      ],
      [
        'a reference and a number of packages',
        create([{ ...withGoods({ Paquetes: 3 }), Referencia: 'PEDIDO-1042' }]),
        guide({ Referencia: 'PEDIDO-1042' }),
      ],
      [
        'a guide is read',
        get('/api/guias/{guia}'),
        {
          message: 'Guia encontrada',
          data: { ...createdGuide('MEX01'), TipoServicio: 'Domicilio', ...minimalGuide() },
        },
      ],
      [
        'guides are listed',
        async ({ users }) => {
          await users.otro.created({ ...minimalGuide(), Referencia: 'LISTA-1' });
          return users.otro.get('/api/guias?referencia=LISTA-1&limite=1');
        },
        {
          message: 'Guias: 1',
          data: [{ ...createdGuide('MEX01'), SEND_SUCU_ORIG: 'GDL01', Referencia: 'LISTA-1' }],
        },
      ],
      ['a cursor that is none', get('/api/guias?cursor=nada'), parameter('cursor')],
      [
        'guides are validated',
        post('/api/guias/validar', domicilio(minimalGuide(), minimalGuide())),
        {
          message: 'Guias validas: 2',
          data: [0, 1].map((indice) => ({ indice, SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'MEX01' })),
        },
      ],
      [
        'a guide is cancelled',
        withGuide(({ otro }, number) => cancel(otro, number)),
        {
          message: 'Guia cancelada',
          data: { ...createdGuide('MEX01'), SEND_SUCU_ORIG: 'GDL01', SEND_ESTATUS: 'Cancelado' },
        },
      ],
      ['several elements create several guides', create([...ONE, ...ONE]), { message: 'Guias creadas: 2' }],
      ['its fields on creation', to({ CodigoPostal: '64000' }), { data: [createdGuide('MTY01')] }],
      ["the origin is the user's branch", create(ONE, 'otro'), guide({ SEND_SUCU_ORIG: 'GDL01' })],
      [
        'the origin is never sent by the client',
        post(CREATE, { ...domicilio(minimalGuide()), Origen: 'GDL01' }),
        no('campo_desconocido', { campo: 'Origen' }),
      ],
      ['CodigoPostal alone: the branch is resolved', to({ CodigoPostal: '72000' }), guide(TO_PUEBLA)],
      ['a branch that does not receive covers nothing', to({ CodigoPostal: '22000' }), uncovered('22000')],
      ['a branch that is not active covers nothing', to({ CodigoPostal: '77500' }), uncovered('77500')],
      ['an origin-only branch is no destination', to({ DestinoCode: 'TIJ01' }), no('destino_invalido')],
      ['a disabled branch is no destination', to({ DestinoCode: 'CUN01' }), no('destino_invalido')],
      [
        'both given: DestinoCode decides, with a warning if it does not cover the postal code',
        to({ DestinoCode: 'gdl01', CodigoPostal: '99999' }),
        {
          ...guide({ SEND_SUCU_DEST: 'GDL01' }),
          advertencias: [
            {
              indice: 0,
              campo: 'Destinatario.CodigoPostal',
              codigo: 'cp_y_destino_distintos',
              message:
                'El envío va a la sucursal GDL01, que no cubre el código postal 99999: su precio es el de 44100, el código postal de la sucursal',
            },
          ],
        },
      ],
      ['an empty array', create([]), empty('Guia')],
      [
        'more than 500 guides',
        create(Array(501).fill(minimalGuide())),
        no('guia_array_largo', { campo: 'Guia' }),
      ],
      ['the array before TipoServicio', post(CREATE, {}), missing('Guia')],
      [
        'TipoServicio before the guides',
        post(CREATE, { TipoServicio: 'X', Guia: [{}] }),
        no('tipo_servicio_invalido'),
      ],
      ['the shape before the origin', create([{}], 'sinorigen'), required('Remitente')],
      ['the origin before the destination', create([UNCOVERED], 'sinorigen'), no('origen_no_asignado')],
      [
        'types are not coerced',
        to({ CodigoPostal: 6600 }),
        field('campo_tipo', 'Destinatario.CodigoPostal', 'debe ser texto (string), no un numero'),
      ],
      ['an unknown field is refused by name', to(MISSPELT), no('campo_desconocido', ESTDO)],
      [
        'a wrong form is another error than a wrong type',
        to({ CodigoPostal: '6600' }),
        field('campo_formato', 'Destinatario.CodigoPostal', 'debe tener 5 digitos'),
      ],
      [
        'a text that is too long',
        to({ CodigoPostal: '06600', Numero_interior: 'x'.repeat(21) }),
        no('campo_largo'),
      ],
      [
        'a section of another type',
        create([{ ...minimalGuide(), Remitente: 'Ana' }]),
        field('campo_tipo', 'Remitente', 'debe ser un objeto (object), no un texto'),
      ],
      ['an element that is no object', create(['x']), noObject('Guia')],
      ['the largest declared value', create([withGoods({ ValorDeclarado: 999_999_999.99 })])],
      [
        'a larger declared value',
        create([withGoods({ ValorDeclarado: 1_000_000_000 })]),
        field('campo_formato', 'Producto.ValorDeclarado', 'debe ser un numero de 0 a 999999999.99 (MXN)'),
      ],
      [
        'sloppy forms are put right',
        create([
          {
            ...withGoods({ Peso: 0, Largo: 0, Alto: 0, Ancho: 0 }),
            Remitente: { Nombre: 'Ana\r\n\tLópez', Telefono: '+52 (55) 1234-5678' },
            Destinatario: { ...minimalGuide().Destinatario, RFC: 'pell-800101-ab1' },
          },
        ]),
        guide({ SEND_REMITENTE: 'Ana López' }),
      ],
      [
        'Prefer: handling=lenient leaves unknown fields out',
        post(CREATE, domicilio(minimalGuide(MISSPELT)), 'demo', { prefer: 'handling=lenient' }),
        { message: 'Guias creadas: 1', advertencias: [{ indice: 0, ...ESTDO }] },
      ],
      [
        'a text that labels do not print whole gives a warning, with or without Prefer',
        create([
          minimalGuide(),
          minimalGuide({ CodigoPostal: '06600', Nombre: '王小明', Referencias: 'Casa azul 🏠 ☎' }),
        ]),
        {
          message: 'Guias creadas: 2',
          advertencias: [
            warning(1, 'Destinatario.Nombre', '王 小 明'),
            warning(1, 'Destinatario.Referencias', '🏠'),
          ],
        },
      ],
      ['null and "" mean absent', to({ CodigoPostal: '06600', DestinoCode: '', RFC: null })],
      [
        'an Idempotency-Key of wrong form',
        post(CREATE, domicilio(...ONE), 'demo', { 'idempotency-key': 'a b' }),
        no('idempotencia_invalida'),
      ],
      [
        'a key with another body',
        twice(domicilio(...ONE), domicilio(...ONE, ...ONE)),
        no('idempotencia_conflicto'),
      ],
      [
        'an answer that is repeated says so, whatever the order of the fields',
        twice(domicilio(minimalGuide()), { Guia: [minimalGuide()], TipoServicio: 'Domicilio' }),
        { message: 'Guias creadas: 1', headers: { 'idempotent-replayed': 'true' } },
      ],
      ["another's guide", get('/api/guias/etiqueta/{guia}', 'otro'), no('guia_no_encontrada')],
      ["another's guide with guias.read.all", get('/api/guias/etiqueta/{guia}', 'operaciones')],
      ['a number of wrong form', get('/api/guias/etiqueta/abc'), no('guia_no_encontrada')],
      [
        'an origin is no destination',
        get('/api/guias/validar-destino/TIJ01'),
        no('destino_invalido', NOT_FOUND),
      ],
    ],
  },
  refusals: {
    guia_en_camino: [409, 'La guia ya tiene eventos y no se puede cancelar'],
    tipo_servicio_requerido: [400, "El campo 'TipoServicio' es requerido", 'TipoServicio'],
    tipo_servicio_invalido: [400, 'TipoServicio solo acepta: Domicilio, the service', 'TipoServicio'],
    origen_no_asignado: [400, 'Usuario API no tiene sucursal de origen asignada'],
    origen_invalido: [400, 'La sucursal de origen no existe o no esta activa'],
    guia_no_encontrada: [404, 'Guia no encontrada'],
    guia_cancelada: [409, 'La guia esta cancelada'],
    guia_array_largo: [400, 'Maximo 500 guias por solicitud'],
  },
};
