import { createHmac, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { type Answer, Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { createdGuide } from '#test/fixtures/created-guide.ts';
import { test as systemTest } from '#test/fixtures/system.ts';

/**
 * The contract, a row for each message and rule, against the running processes over HTTP. `of` is the section
 * of docs/contract.md.
 */
const USERS = [
  'demo',
  'demo2',
  'otro',
  'lectura',
  'sinorigen',
  'inactiva',
  'escaner',
  'operaciones',
] as const;
/** The api, and who asks it. */
type Api = {
  url: string;
  users: Record<(typeof USERS)[number], Client>;
  anonymous: Client;
  /** Of a guide of `demo`. */
  number: string;
  login(headers: Record<string, string>): Promise<Answer>;
  /** Whoever has a token of ours with these claims. */
  withToken(claims: object): Client;
};

const test = systemTest.extend('api', { scope: 'file' }, async ({ system, secrets }): Promise<Api> => {
  const url = system.addresses.api;
  const users = {} as Api['users'];
  for (const name of USERS) users[name] = await Client.login(url, name);
  return {
    url,
    users,
    anonymous: new Client(url, ''),
    number: (await users.demo.created(minimalGuide()))[0]?.SEND_GUIA ?? '',
    login: (headers) => call(`${url}/api/auth/login`, { method: 'POST', headers }),
    withToken: (claims) => new Client(url, tokenOf(claims, secrets.jwt)),
  };
});

function tokenOf(claims: object, secret: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

type Row = {
  of: string;
  rule: string;
  ask: (api: Api) => Promise<Answer>;
  status: number;
  message?: string;
  /** Of the answer, and of the first entry of `details`. */
  codigo?: string;
  /** What `data` must hold. */
  data?: unknown;
  /** Of the first entry of `details`. */
  campo?: string;
  advertencias?: object[];
  /** What the answer's headers must hold. */
  headers?: Record<string, string>;
};
const CREATE = '/api/guias/crear';
const domicilio = (...guides: unknown[]) => ({ TipoServicio: 'Domicilio', Guia: guides });
const demo =
  (destination: Record<string, unknown>) =>
  ({ users }: Api) =>
    users.demo.create([minimalGuide(destination)]);
const postBytes = (url: string, { token }: Client, body: Buffer<ArrayBuffer>, headers = {}) =>
  call(url + CREATE, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body,
  });
const labelFile = (user: Client, Guias: unknown, Tipo = 'carta') =>
  user.post('/api/guias/etiquetas', { Guias, Tipo });
const withGoods = (goods: object) => ({ ...minimalGuide(), Producto: { Contenido: 'Libros', ...goods } });
const now = Math.floor(Date.now() / 1000);
const record = (code: string) => expect.objectContaining({ Codigo: code, Activa: true });

const ROWS: Row[] = [
  // Messages
  {
    of: 'Messages and statuses',
    rule: 'login without credentials',
    ask: ({ login }) => login({}),
    status: 400,
    message: 'Se requieren los headers X-Username y X-Password',
    codigo: 'login_headers_faltan',
  },
  {
    of: 'Messages and statuses',
    rule: 'login with a wrong password',
    ask: ({ login }) => login({ 'x-username': 'demo', 'x-password': 'otra1234' }),
    status: 401,
    message: 'Usuario o contrasena incorrectos',
    codigo: 'credenciales_incorrectas',
  },
  {
    of: 'Messages and statuses',
    rule: 'login of an unknown user',
    ask: ({ login }) => login({ 'x-username': 'nadie', 'x-password': 'demo1234' }),
    status: 401,
    message: 'Usuario o contrasena incorrectos',
    codigo: 'credenciales_incorrectas',
  },
  {
    of: 'Authentication',
    rule: 'a token is ended',
    ask: ({ withToken }) =>
      withToken({ sub: 'demo', iss: 'shipping-guides', iat: now, exp: now + 60, gen: 0, jti: 'una' }).post(
        '/api/auth/logout',
        '',
      ),
    status: 200,
    message: 'Sesion cerrada',
    data: null,
  },
  {
    of: 'Messages and statuses',
    rule: 'an expired token',
    ask: ({ withToken }) =>
      withToken({ sub: 'demo', iss: 'shipping-guides', iat: now - 9, exp: now - 1 }).get(
        '/api/auth/validate',
      ),
    status: 401,
    message: 'Token expirado',
    codigo: 'token_expirado',
  },
  {
    of: 'Messages and statuses',
    rule: 'no token',
    ask: ({ url }) => call(`${url}/api/sucursales`),
    status: 401,
    message: 'Acceso denegado',
    codigo: 'acceso_denegado',
  },
  {
    of: 'Messages and statuses',
    rule: 'a token that is none',
    ask: ({ anonymous }) => anonymous.get('/api/sucursales'),
    status: 401,
    message: 'Acceso denegado',
    codigo: 'acceso_denegado',
  },
  {
    of: 'Messages and statuses',
    rule: 'a token of an unknown user',
    ask: ({ withToken }) =>
      withToken({ sub: 'nadie', iss: 'shipping-guides', iat: now, exp: now + 60 }).get('/api/auth/validate'),
    status: 401,
    message: 'Acceso denegado',
    codigo: 'acceso_denegado',
  },
  {
    of: 'Messages and statuses',
    rule: 'guias.create is missing',
    ask: ({ users }) => users.lectura.create([minimalGuide()]),
    status: 403,
    message: 'No tiene permiso para realizar esta accion',
    codigo: 'sin_permiso',
  },
  {
    of: 'Messages and statuses',
    rule: 'TipoServicio is missing',
    ask: ({ users }) => users.demo.post(CREATE, { Guia: [minimalGuide()] }),
    status: 400,
    message: "El campo 'TipoServicio' es requerido",
    codigo: 'tipo_servicio_requerido',
    campo: 'TipoServicio',
  },
  {
    of: 'Messages and statuses',
    rule: 'TipoServicio has another value',
    ask: ({ users }) => users.demo.create([minimalGuide()], 'Ocurre'),
    status: 400,
    message: 'TipoServicio solo acepta: Domicilio, the service',
    codigo: 'tipo_servicio_invalido',
    campo: 'TipoServicio',
  },
  {
    of: 'Messages and statuses',
    rule: 'the user has no origin branch',
    ask: ({ users }) => users.sinorigen.create([minimalGuide()]),
    status: 400,
    message: 'Usuario API no tiene sucursal de origen asignada',
    codigo: 'origen_no_asignado',
  },
  {
    of: 'Messages and statuses',
    rule: 'the origin branch is disabled',
    ask: ({ users }) => users.inactiva.create([minimalGuide()]),
    status: 400,
    message: 'La sucursal de origen no existe o no esta activa',
    codigo: 'origen_invalido',
  },
  {
    of: 'Messages and statuses',
    rule: 'DestinoCode is not a valid branch',
    ask: demo({ DestinoCode: 'NADA9' }),
    status: 400,
    message: 'DestinoCode no corresponde a sucursal valida',
    codigo: 'destino_invalido',
    campo: 'Destinatario.DestinoCode',
  },
  {
    of: 'Messages and statuses',
    rule: 'the postal code has no branch',
    ask: demo({ CodigoPostal: '99999' }),
    status: 400,
    message: 'No hay cobertura para el código postal: 99999',
    codigo: 'sin_cobertura',
    campo: 'Destinatario.CodigoPostal',
  },
  {
    of: 'Messages and statuses',
    rule: 'neither destination field',
    ask: demo({}),
    status: 400,
    message: 'Se requiere DestinoCode o CodigoPostal',
    codigo: 'destino_requerido',
  },
  {
    of: 'Messages and statuses',
    rule: 'the Guia array is missing',
    ask: ({ users }) => users.demo.post(CREATE, { TipoServicio: 'Domicilio' }),
    status: 400,
    message: "El JSON no contiene el array 'Guia'",
    codigo: 'guia_array_faltante',
    campo: 'Guia',
  },
  {
    of: 'Messages and statuses',
    rule: 'the guide number does not exist',
    ask: ({ users }) => users.demo.get('/api/guias/etiqueta/999999999995'),
    status: 404,
    message: 'Guia no encontrada',
    codigo: 'guia_no_encontrada',
  },
  {
    of: 'Messages and statuses',
    rule: 'the label of a cancelled guide',
    ask: async ({ users }) => {
      const [guide] = await users.demo.created(minimalGuide());
      await users.demo.post(`/api/guias/${guide?.SEND_GUIA}/cancelar`, '');
      return users.demo.get(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
    },
    status: 409,
    message: 'La guia esta cancelada',
    codigo: 'guia_cancelada',
  },

  // Guide creation
  {
    of: 'Guides',
    rule: 'the minimal guide is accepted',
    ask: ({ users }) => users.demo.create([minimalGuide()]),
    status: 200,
    message: 'Guias creadas: 1',
  },
  {
    of: 'Guides',
    rule: 'the service: pick-up at a branch',
    ask: ({ users }) => users.demo.create([minimalGuide()], 'the service'),
    status: 200,
    message: 'Guias creadas: 1',
  },
  {
    of: 'Guides',
    rule: 'a reference and a number of packages',
    ask: ({ users }) => users.demo.create([{ ...withGoods({ Paquetes: 3 }), Referencia: 'PEDIDO-1042' }]),
    status: 200,
    data: [expect.objectContaining({ Referencia: 'PEDIDO-1042' })],
  },
  {
    of: 'Guides',
    rule: 'a guide is read',
    ask: async ({ users, number }) => users.demo.get(`/api/guias/${number}`),
    status: 200,
    message: 'Guia encontrada',
    data: { ...createdGuide('MEX01'), TipoServicio: 'Domicilio', ...minimalGuide() },
  },
  {
    of: 'Guides',
    rule: 'guides are listed',
    ask: async ({ users }) => {
      await users.otro.created({ ...minimalGuide(), Referencia: 'LISTA-1' });
      return users.otro.get('/api/guias?referencia=LISTA-1&limite=1');
    },
    status: 200,
    message: 'Guias: 1',
    data: [{ ...createdGuide('MEX01'), SEND_SUCU_ORIG: 'GDL01', Referencia: 'LISTA-1' }],
  },
  {
    of: 'Guides',
    rule: 'a cursor that is none',
    ask: ({ users }) => users.demo.get('/api/guias?cursor=nada'),
    status: 400,
    message: "El parametro 'cursor' no es valido",
    codigo: 'parametro_invalido',
    campo: 'cursor',
  },
  {
    of: 'Guides',
    rule: 'guides are validated',
    ask: ({ users }) => users.demo.post('/api/guias/validar', domicilio(minimalGuide(), minimalGuide())),
    status: 200,
    message: 'Guias validas: 2',
    data: [0, 1].map((indice) => ({ indice, SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'MEX01' })),
  },
  {
    of: 'Guides',
    rule: 'a guide is cancelled',
    ask: async ({ users }) => {
      const [guide] = await users.otro.created(minimalGuide());
      return users.otro.post(`/api/guias/${guide?.SEND_GUIA}/cancelar`, '');
    },
    status: 200,
    message: 'Guia cancelada',
    data: { ...createdGuide('MEX01'), SEND_SUCU_ORIG: 'GDL01', SEND_ESTATUS: 'Cancelado' },
  },
  {
    of: 'Guides',
    rule: 'several elements create several guides',
    ask: ({ users }) => users.demo.create([minimalGuide(), minimalGuide(), minimalGuide()]),
    status: 200,
    message: 'Guias creadas: 3',
  },
  {
    of: 'Guides',
    rule: 'its fields on creation',
    ask: ({ users }) => users.demo.create([minimalGuide({ CodigoPostal: '64000' })]),
    status: 200,
    data: [createdGuide('MTY01')],
  },
  {
    of: 'Guides',
    rule: "the origin is the user's branch",
    ask: ({ users }) => users.otro.create([minimalGuide()]),
    status: 200,
    data: [expect.objectContaining({ SEND_SUCU_ORIG: 'GDL01' })],
  },
  {
    of: 'Guides',
    rule: 'the origin is never sent by the client',
    ask: ({ users }) => users.demo.post(CREATE, { ...domicilio(minimalGuide()), Origen: 'GDL01' }),
    status: 400,
    codigo: 'campo_desconocido',
    campo: 'Origen',
  },
  {
    of: 'Guides',
    rule: 'only CodigoPostal: the branch is resolved',
    ask: demo({ CodigoPostal: '72000' }),
    status: 200,
    data: [expect.objectContaining({ SEND_SUCU_DEST: 'PUE01' })],
  },
  {
    of: 'Guides',
    rule: 'a branch that does not receive covers nothing',
    ask: demo({ CodigoPostal: '22000' }),
    status: 400,
    message: 'No hay cobertura para el código postal: 22000',
    codigo: 'sin_cobertura',
  },
  {
    of: 'Guides',
    rule: 'a branch that is not active covers nothing',
    ask: demo({ CodigoPostal: '77500' }),
    status: 400,
    message: 'No hay cobertura para el código postal: 77500',
    codigo: 'sin_cobertura',
  },
  {
    of: 'Guides',
    rule: 'an origin-only branch is no destination',
    ask: demo({ DestinoCode: 'TIJ01' }),
    status: 400,
    message: 'DestinoCode no corresponde a sucursal valida',
    codigo: 'destino_invalido',
  },
  {
    of: 'Guides',
    rule: 'a disabled branch is no destination',
    ask: demo({ DestinoCode: 'CUN01' }),
    status: 400,
    message: 'DestinoCode no corresponde a sucursal valida',
    codigo: 'destino_invalido',
  },
  {
    of: 'Guides',
    rule: 'both given: DestinoCode decides',
    ask: demo({ DestinoCode: 'gdl01', CodigoPostal: '99999' }),
    status: 200,
    data: [expect.objectContaining({ SEND_SUCU_DEST: 'GDL01' })],
  },
  {
    of: 'Guides',
    rule: 'an empty array',
    ask: ({ users }) => users.demo.create([]),
    status: 400,
    message: "El array 'Guia' esta vacio",
    codigo: 'guia_array_vacio',
    campo: 'Guia',
  },
  {
    of: 'Guides',
    rule: 'more than 500 guides',
    ask: ({ users }) => users.demo.create(Array.from({ length: 501 }, () => minimalGuide())),
    status: 400,
    message: 'Maximo 500 guias por solicitud',
    codigo: 'guia_array_largo',
    campo: 'Guia',
  },
  {
    of: 'Guides',
    rule: 'the array is looked at before TipoServicio',
    ask: ({ users }) => users.demo.post(CREATE, {}),
    status: 400,
    message: "El JSON no contiene el array 'Guia'",
    codigo: 'guia_array_faltante',
    campo: 'Guia',
  },
  {
    of: 'Guides',
    rule: 'TipoServicio is looked at before the guides',
    ask: ({ users }) => users.demo.post(CREATE, { TipoServicio: 'X', Guia: [{}] }),
    status: 400,
    message: 'TipoServicio solo acepta: Domicilio, the service',
    codigo: 'tipo_servicio_invalido',
    campo: 'TipoServicio',
  },
  {
    of: 'Guides',
    rule: 'the shape is looked at before the origin',
    ask: ({ users }) => users.sinorigen.create([{}]),
    status: 400,
    message: "El campo 'Remitente' es requerido",
    codigo: 'campo_requerido',
    campo: 'Remitente',
  },
  {
    of: 'Guides',
    rule: 'the origin is looked at before the destination',
    ask: ({ users }) => users.sinorigen.create([minimalGuide({ CodigoPostal: '99999' })]),
    status: 400,
    message: 'Usuario API no tiene sucursal de origen asignada',
    codigo: 'origen_no_asignado',
  },
  {
    of: 'Guides',
    rule: 'types are not coerced',
    ask: demo({ CodigoPostal: 6600 }),
    status: 400,
    message: "El campo 'Destinatario.CodigoPostal' debe ser texto (string), no un numero",
    codigo: 'campo_tipo',
    campo: 'Destinatario.CodigoPostal',
  },
  {
    of: 'Guides',
    rule: 'an unknown field is refused by name',
    ask: demo({ CodigoPostal: '06600', Estdo: 'x' }),
    status: 400,
    message: "Campo desconocido: 'Destinatario.Estdo'; ¿quiso decir 'Estado'?",
    codigo: 'campo_desconocido',
    campo: 'Destinatario.Estdo',
  },
  {
    of: 'Guides',
    rule: 'a wrong form is another error than a wrong type',
    ask: demo({ CodigoPostal: '6600' }),
    status: 400,
    message: "El campo 'Destinatario.CodigoPostal' debe tener 5 digitos",
    codigo: 'campo_formato',
    campo: 'Destinatario.CodigoPostal',
  },
  {
    of: 'Guides',
    rule: 'a text that is too long',
    ask: demo({ CodigoPostal: '06600', Numero_interior: 'x'.repeat(21) }),
    status: 400,
    message: "El campo 'Destinatario.Numero_interior' admite hasta 20 caracteres",
    codigo: 'campo_largo',
    campo: 'Destinatario.Numero_interior',
  },
  {
    of: 'Guides',
    rule: 'a section of another type',
    ask: ({ users }) => users.demo.create([{ ...minimalGuide(), Remitente: 'Ana' }]),
    status: 400,
    message: "El campo 'Remitente' debe ser un objeto (object), no un texto",
    codigo: 'campo_tipo',
    campo: 'Remitente',
  },
  {
    of: 'Guides',
    rule: 'an element that is no object',
    ask: ({ users }) => users.demo.create(['x']),
    status: 400,
    message: "Cada elemento de 'Guia' debe ser un objeto",
    codigo: 'campo_tipo',
  },
  {
    of: 'Guides',
    rule: 'the largest declared value',
    ask: ({ users }) => users.demo.create([withGoods({ ValorDeclarado: 999_999_999.99 })]),
    status: 200,
  },
  {
    of: 'Guides',
    rule: 'a larger declared value',
    ask: ({ users }) => users.demo.create([withGoods({ ValorDeclarado: 1_000_000_000 })]),
    status: 400,
    message: "El campo 'Producto.ValorDeclarado' debe ser un numero de 0 a 999999999.99 (MXN)",
    codigo: 'campo_formato',
    campo: 'Producto.ValorDeclarado',
  },
  {
    of: 'Guides',
    rule: 'sloppy forms are put right',
    ask: ({ users }) =>
      users.demo.create([
        {
          ...withGoods({ Peso: 0, Largo: 0, Alto: 0, Ancho: 0 }),
          Remitente: { Nombre: 'Ana\r\n\tLópez', Telefono: '+52 (55) 1234-5678' },
          Destinatario: { Nombre: 'Luis', CodigoPostal: '06600', RFC: 'pell-800101-ab1' },
        },
      ]),
    status: 200,
    data: [expect.objectContaining({ SEND_REMITENTE: 'Ana López' })],
  },
  {
    of: 'Guides',
    rule: 'Prefer: handling=lenient leaves unknown fields out',
    ask: ({ users }) =>
      users.demo.post(CREATE, domicilio(minimalGuide({ CodigoPostal: '06600', Estdo: 'x' })), {
        prefer: 'handling=lenient',
      }),
    status: 200,
    message: 'Guias creadas: 1',
    advertencias: [
      {
        indice: 0,
        campo: 'Destinatario.Estdo',
        codigo: 'campo_desconocido',
        message: "Campo desconocido: 'Destinatario.Estdo'; ¿quiso decir 'Estado'?",
      },
    ],
  },
  {
    of: 'Guides',
    rule: 'a text that labels do not print whole gives a warning, with or without Prefer',
    ask: ({ users }) =>
      users.demo.create([
        minimalGuide({ CodigoPostal: '06600' }),
        minimalGuide({ CodigoPostal: '06600', Nombre: '王小明', Referencias: 'Casa azul 🏠 ☎' }),
      ]),
    status: 200,
    message: 'Guias creadas: 2',
    advertencias: [
      {
        indice: 1,
        campo: 'Destinatario.Nombre',
        codigo: 'caracteres_no_imprimibles',
        message: "El campo 'Destinatario.Nombre' se imprime con • en vez de: 王 小 明",
      },
      {
        indice: 1,
        campo: 'Destinatario.Referencias',
        codigo: 'caracteres_no_imprimibles',
        message: "El campo 'Destinatario.Referencias' se imprime con • en vez de: 🏠",
      },
    ],
  },
  {
    of: 'Guides',
    rule: 'null and "" mean absent',
    ask: demo({ CodigoPostal: '06600', DestinoCode: '', RFC: null }),
    status: 200,
  },
  {
    of: 'Guides',
    rule: 'an Idempotency-Key of wrong form',
    ask: ({ users }) => users.demo.post(CREATE, domicilio(minimalGuide()), { 'idempotency-key': 'a b' }),
    status: 400,
    message: 'Idempotency-Key debe tener de 1 a 255 caracteres visibles',
    codigo: 'idempotencia_invalida',
  },
  {
    of: 'Guides',
    rule: 'an Idempotency-Key with another body',
    ask: async ({ users }) => {
      const key = { 'idempotency-key': randomUUID() };
      await users.demo.post(CREATE, domicilio(minimalGuide()), key);
      return users.demo.post(CREATE, domicilio(minimalGuide(), minimalGuide()), key);
    },
    status: 409,
    message: 'Idempotency-Key ya usada con otro contenido',
    codigo: 'idempotencia_conflicto',
  },
  {
    of: 'Guides',
    rule: 'an answer that is repeated says so, whatever the order of the fields',
    ask: async ({ users }) => {
      const key = { 'idempotency-key': randomUUID() };
      await users.demo.post(CREATE, { TipoServicio: 'Domicilio', Guia: [minimalGuide()] }, key);
      return users.demo.post(CREATE, { Guia: [minimalGuide()], TipoServicio: 'Domicilio' }, key);
    },
    status: 200,
    message: 'Guias creadas: 1',
    headers: { 'idempotent-replayed': 'true' },
  },

  // Labels
  {
    of: 'Labels',
    rule: 'the letter label',
    ask: ({ number, users }) => users.demo.get(`/api/guias/etiqueta/${number}`),
    status: 200,
  },
  {
    of: 'Labels',
    rule: 'the small label, several packages',
    ask: ({ number, users }) => users.demo.get(`/api/guias/etiqueta-pequena/${number}?paquetes=2`),
    status: 200,
  },
  {
    of: 'Labels',
    rule: 'the label of 10 × 15 cm, several packages',
    ask: ({ number, users }) => users.demo.get(`/api/guias/etiqueta-10x15/${number}?paquetes=2`),
    status: 200,
  },
  {
    of: 'Labels',
    rule: 'the label of 10 × 15 cm, one package',
    ask: ({ number, users }) => users.demo.get(`/api/guias/etiqueta-10x15/${number}?paquetes=3&paquete=2`),
    status: 200,
  },
  {
    of: 'Labels',
    rule: 'a label as PNG, by the parameter',
    ask: ({ number, users }) => users.demo.get(`/api/guias/etiqueta/${number}?formato=png&dpi=300`),
    status: 200,
    headers: {
      'content-type': 'image/png',
      'content-disposition': expect.stringMatching(/^inline; filename="guia-\d{12}\.png"$/),
      vary: 'Accept',
    },
  },
  {
    of: 'Labels',
    rule: 'a label as ZPL, by Accept',
    ask: ({ number, users }) =>
      users.demo.get(`/api/guias/etiqueta-10x15/${number}?paquetes=2`, { accept: 'application/zpl' }),
    status: 200,
    headers: {
      'content-type': 'application/zpl',
      'content-disposition': expect.stringMatching(/^inline; filename="guia-\d{12}-10x15\.zpl"$/),
    },
  },
  {
    of: 'Labels',
    rule: 'a PNG of several pages',
    ask: ({ number, users }) => users.demo.get(`/api/guias/etiqueta-10x15/${number}?paquetes=3&formato=png`),
    status: 400,
    message: 'Un PNG tiene una sola pagina; indique paquete, de 1 a 3',
    codigo: 'parametro_invalido',
  },
  {
    of: 'Labels',
    rule: 'a PNG of many labels',
    ask: ({ number, users }) =>
      users.demo.post('/api/guias/etiquetas?formato=png', { Guias: [number, number], Tipo: 'carta' }),
    status: 400,
    message: 'Un PNG tiene una sola pagina y estas etiquetas tienen 2; pida formato=pdf o formato=zpl',
    codigo: 'parametro_invalido',
    campo: 'formato',
  },
  {
    of: 'Labels',
    rule: 'another density',
    ask: ({ number, users }) => users.demo.get(`/api/guias/etiqueta/${number}?formato=zpl&dpi=600`),
    status: 400,
    message: "El parametro 'dpi' no es valido",
    codigo: 'parametro_invalido',
  },
  {
    of: 'Labels',
    rule: 'a form that there is not',
    ask: ({ number, users }) =>
      users.demo.get(`/api/guias/etiqueta/${number}`, { accept: 'application/json' }),
    status: 406,
    message: 'Formatos disponibles: application/pdf, image/png, application/zpl',
    codigo: 'formato_no_aceptable',
    headers: { vary: 'Accept' },
  },
  {
    of: 'Guides',
    rule: "another's guide",
    ask: ({ number, users }) => users.otro.get(`/api/guias/etiqueta/${number}`),
    status: 404,
    message: 'Guia no encontrada',
    codigo: 'guia_no_encontrada',
  },
  {
    of: 'Guides',
    rule: "another's guide, small label",
    ask: ({ number, users }) => users.otro.get(`/api/guias/etiqueta-pequena/${number}`),
    status: 404,
    message: 'Guia no encontrada',
    codigo: 'guia_no_encontrada',
  },
  {
    of: 'Guides',
    rule: "another's guide, label of 10 × 15 cm",
    ask: ({ number, users }) => users.otro.get(`/api/guias/etiqueta-10x15/${number}`),
    status: 404,
    message: 'Guia no encontrada',
    codigo: 'guia_no_encontrada',
  },
  {
    of: 'Guides',
    rule: "another's guide with guias.read.all",
    ask: ({ number, users }) => users.operaciones.get(`/api/guias/etiqueta/${number}`),
    status: 200,
  },
  {
    of: 'Guides',
    rule: 'a number of wrong form',
    ask: ({ users }) => users.demo.get('/api/guias/etiqueta/abc'),
    status: 404,
    message: 'Guia no encontrada',
    codigo: 'guia_no_encontrada',
  },
  {
    of: 'Labels',
    rule: 'paquetes out of range',
    ask: ({ number, users }) => users.demo.get(`/api/guias/etiqueta-pequena/${number}?paquetes=100`),
    status: 400,
    codigo: 'parametro_invalido',
    campo: 'paquetes',
  },
  {
    of: 'Labels',
    rule: 'paquete out of range, 10 × 15 cm',
    ask: ({ number, users }) => users.demo.get(`/api/guias/etiqueta-10x15/${number}?paquetes=2&paquete=3`),
    status: 400,
    codigo: 'parametro_invalido',
    campo: 'paquete',
  },
  {
    of: 'Labels',
    rule: 'the labels of many guides as one file, 10 × 15 cm',
    ask: ({ number, users }) => labelFile(users.demo, [number], '10x15'),
    status: 200,
  },
  {
    of: 'Labels',
    rule: 'the labels of many guides as one file',
    ask: ({ number, users }) => labelFile(users.demo, [number, number]),
    status: 200,
  },
  {
    of: 'Labels',
    rule: 'a file with a guide of another account',
    ask: ({ number, users }) => labelFile(users.otro, [number]),
    status: 404,
    message: 'Guia no encontrada',
    codigo: 'guia_no_encontrada',
  },
  {
    of: 'Labels',
    rule: 'a file without the array of guides',
    ask: ({ users }) => labelFile(users.demo, undefined),
    status: 400,
    message: "El JSON no contiene el array 'Guias'",
    codigo: 'guia_array_faltante',
    campo: 'Guias',
  },
  {
    of: 'Labels',
    rule: 'a file of no guides',
    ask: ({ users }) => labelFile(users.demo, []),
    status: 400,
    message: "El array 'Guias' esta vacio",
    codigo: 'guia_array_vacio',
    campo: 'Guias',
  },
  {
    of: 'Labels',
    rule: 'a file of too many guides',
    ask: ({ number, users }) =>
      labelFile(
        users.demo,
        Array.from({ length: 501 }, () => number),
      ),
    status: 400,
    message: 'Maximo 500 guias por solicitud',
    codigo: 'guia_array_largo',
    campo: 'Guias',
  },
  {
    of: 'Labels',
    rule: 'a file of a kind that there is not',
    ask: ({ number, users }) => labelFile(users.demo, [number], 'grande'),
    status: 400,
    message: "El campo 'Tipo' solo acepta: carta, pequena, 10x15",
    codigo: 'campo_formato',
    campo: 'Tipo',
  },

  // Destinations, branches, coverage
  {
    of: 'Branches',
    rule: 'a valid destination',
    ask: ({ users }) => users.lectura.get('/api/guias/validar-destino/mty01'),
    status: 200,
    data: record('MTY01'),
  },
  {
    of: 'Branches',
    rule: 'an unknown destination',
    ask: ({ users }) => users.demo.get('/api/guias/validar-destino/NADA9'),
    status: 404,
    message: 'DestinoCode no corresponde a sucursal valida',
    codigo: 'destino_invalido',
  },
  {
    of: 'Guides',
    rule: 'an origin-only branch is no valid destination',
    ask: ({ users }) => users.demo.get('/api/guias/validar-destino/TIJ01'),
    status: 404,
    message: 'DestinoCode no corresponde a sucursal valida',
    codigo: 'destino_invalido',
  },
  {
    of: 'Branches',
    rule: 'all branches: the active ones, by code',
    ask: ({ users }) => users.demo.get('/api/sucursales'),
    status: 200,
    data: ['GDL01', 'MEX01', 'MTY01', 'PUE01', 'TIJ01'].map(record),
  },
  {
    of: 'Branches',
    rule: 'destinations only',
    ask: ({ users }) => users.demo.get('/api/sucursales/destinos'),
    status: 200,
    data: ['GDL01', 'MEX01', 'MTY01', 'PUE01'].map(record),
  },
  {
    of: 'Branches',
    rule: 'origins only',
    ask: ({ users }) => users.demo.get('/api/sucursales/origenes'),
    status: 200,
    data: ['GDL01', 'MEX01', 'MTY01', 'TIJ01'].map(record),
  },
  {
    of: 'Branches',
    rule: "a branch's record",
    ask: ({ users }) => users.demo.get('/api/guias/validar-destino/MEX01'),
    status: 200,
    data: {
      Codigo: 'MEX01',
      Nombre: expect.any(String),
      Estado: expect.any(String),
      Municipio: expect.any(String),
      Colonia: expect.any(String),
      Calle: expect.any(String),
      Numero: expect.any(String),
      CodigoPostal: '06600',
      Telefono: expect.any(String),
      Origen: true,
      Destino: true,
      Activa: true,
    },
  },
  {
    of: 'Branches',
    rule: 'coverage',
    ask: ({ users }) => users.demo.get('/api/sucursales/cobertura/06600'),
    status: 200,
    data: { CodigoPostal: '06600', Sucursal: record('MEX01') },
  },
  ...['99999', '22000', '77500', 'abc'].map((postalCode) => ({
    of: 'Branches',
    rule: `no coverage: ${postalCode}`,
    ask: ({ users }: Api) => users.demo.get(`/api/sucursales/cobertura/${postalCode}`),
    status: 404,
    message: `No hay cobertura para el código postal: ${postalCode}`,
    codigo: 'sin_cobertura',
  })),

  // Authentication
  {
    of: 'Authentication',
    rule: 'login',
    ask: ({ login }) => login({ 'x-username': 'demo', 'x-password': 'demo1234' }),
    status: 200,
    message: 'Login exitoso',
    data: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 },
  },
  {
    of: 'Authentication',
    rule: 'validate',
    ask: ({ users }) => users.sinorigen.get('/api/auth/validate'),
    status: 200,
    data: {
      usuario: 'sinorigen',
      cuenta: 'sinorigen',
      sucursal: null,
      expira: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  },
  {
    of: 'Authentication',
    rule: 'validate, of a user in the account of another',
    ask: ({ users }) => users.demo2.get('/api/auth/validate'),
    status: 200,
    data: {
      usuario: 'demo2',
      cuenta: 'demo',
      sucursal: 'MEX01',
      expira: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  },
  {
    of: 'Authentication',
    rule: 'my-permissions, sorted',
    ask: ({ users }) => users.operaciones.get('/api/apipermissions/my-permissions'),
    status: 200,
    data: ['colas.admin', 'guias.read', 'guias.read.all'],
  },

  // Events
  {
    of: 'Events',
    rule: 'events of guides of any account, each with its own result',
    ask: async ({ users }) => {
      const [guide] = await users.otro.created(minimalGuide());
      const Ocurrido = new Date().toISOString();
      const told = { Guia: guide?.SEND_GUIA, Tipo: 'EnReparto', Ocurrido, Id: 'uno' };
      return users.escaner.post('/api/eventos', {
        Eventos: [told, told, { ...told, Tipo: 'Perdido', Id: 'dos' }],
      });
    },
    status: 200,
    message: 'Eventos registrados: 1',
    data: [
      { indice: 0, Id: 'uno', resultado: 'registrado' },
      { indice: 1, Id: 'uno', resultado: 'repetido' },
      expect.objectContaining({ indice: 2, resultado: 'rechazado', campo: 'Tipo', codigo: 'campo_formato' }),
    ],
  },
  ...(
    [
      ['without the array', {}, 'eventos_array_faltante', "El JSON no contiene el array 'Eventos'"],
      ['an empty array', { Eventos: [] }, 'eventos_array_vacio', "El array 'Eventos' esta vacio"],
      [
        '501 events',
        { Eventos: Array(501).fill({}) },
        'eventos_array_largo',
        'Maximo 500 eventos por solicitud',
      ],
      [
        'a number for an event',
        { Eventos: [7] },
        'campo_tipo',
        "Cada elemento de 'Eventos' debe ser un objeto",
      ],
    ] as const
  ).map(([rule, body, codigo, message]) => ({
    of: 'Events',
    rule,
    ask: ({ users }: Api) => users.escaner.post('/api/eventos', body),
    status: 400,
    message,
    codigo,
  })),
  {
    of: 'Events',
    rule: 'a guide with events is not cancelled',
    ask: async ({ users }) => {
      const [guide] = await users.otro.created(minimalGuide());
      const told = { Guia: guide?.SEND_GUIA, Tipo: 'Recolectado', Ocurrido: new Date().toISOString() };
      await users.escaner.post('/api/eventos', { Eventos: [told] });
      return users.otro.post(`/api/guias/${guide?.SEND_GUIA}/cancelar`, '');
    },
    status: 409,
    message: 'La guia ya tiene eventos y no se puede cancelar',
    codigo: 'guia_en_camino',
  },
  {
    of: 'Events',
    rule: 'the events of a guide',
    ask: ({ number, users }) => users.demo.get(`/api/guias/${number}/eventos`),
    status: 200,
    message: 'Eventos: 0',
    data: [],
  },
  {
    of: 'Events',
    rule: 'the feed',
    ask: ({ users }) => users.lectura.get('/api/eventos'),
    status: 200,
    message: 'Eventos: 0',
    data: [],
  },
  {
    of: 'Events',
    rule: 'a cursor that is none of ours',
    ask: ({ users }) => users.demo.get('/api/eventos?cursor=x'),
    status: 400,
    message: "El parametro 'cursor' no es valido",
    codigo: 'parametro_invalido',
    campo: 'cursor',
  },

  // Webhooks
  {
    of: 'Webhooks',
    rule: 'one is registered, and its secret shown',
    ask: ({ users }) => users.otro.post('/api/webhooks', { Url: 'http://127.0.0.1:9/', Descripcion: 'Uno' }),
    status: 200,
    message: 'Webhook registrado',
    data: {
      Id: expect.any(String),
      Url: 'http://127.0.0.1:9/',
      Descripcion: 'Uno',
      Activo: true,
      Secreto: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    },
  },
  {
    of: 'Webhooks',
    rule: 'those of the account, without their secrets',
    ask: ({ users }) => users.demo.get('/api/webhooks'),
    status: 200,
    message: 'Webhooks: 0',
    data: [],
  },
  {
    of: 'Webhooks',
    rule: 'without an address',
    ask: ({ users }) => users.demo.post('/api/webhooks', {}),
    status: 400,
    message: "El campo 'Url' es requerido",
    codigo: 'campo_requerido',
    campo: 'Url',
  },
  {
    of: 'Webhooks',
    rule: 'by a user without webhooks.admin',
    ask: ({ users }) => users.lectura.get('/api/webhooks'),
    status: 403,
    message: 'No tiene permiso para realizar esta accion',
    codigo: 'sin_permiso',
  },
  ...(['probar', 'secreto', 'activar'] as const).map((path) => ({
    of: 'Webhooks',
    rule: `none of the account's: ${path}`,
    ask: ({ users }: Api) => users.demo.post(`/api/webhooks/nada/${path}`, {}),
    status: 404,
    message: 'Webhook no encontrado',
    codigo: 'webhook_no_encontrado',
  })),

  // HTTP
  {
    of: 'Envelopes',
    rule: 'an unknown route',
    ask: ({ users }) => users.demo.get('/api/rastreo'),
    status: 404,
    message: 'Recurso no encontrado',
    codigo: 'recurso_no_encontrado',
  },
  {
    of: 'Envelopes',
    rule: 'an unknown parameter',
    ask: ({ number, users }) => users.demo.get(`/api/guias/etiqueta/${number}?paquete=1`),
    status: 400,
    message: "Parametro desconocido: 'paquete'",
    codigo: 'parametro_desconocido',
    campo: 'paquete',
  },
  {
    of: 'Envelopes',
    rule: 'a parameter of a route that takes none',
    ask: ({ users }) => users.demo.get('/api/sucursales?limite=1'),
    status: 400,
    message: "Parametro desconocido: 'limite'",
    codigo: 'parametro_desconocido',
    campo: 'limite',
  },
  {
    of: 'Envelopes',
    rule: 'doubled and trailing slashes',
    ask: ({ users }) => users.demo.get('//api//sucursales/'),
    status: 200,
  },
  {
    of: 'Envelopes',
    rule: 'another method, with doubled and trailing slashes',
    ask: ({ users }) => users.demo.post('//api/sucursales/', {}),
    status: 405,
    message: 'Metodo no permitido',
    codigo: 'metodo_no_permitido',
  },
  {
    of: 'Envelopes',
    rule: 'a body in Latin-1',
    ask: ({ url, users }) => postBytes(url, users.demo, Buffer.from('{"Guia":"\u00f1"}', 'latin1')),
    status: 400,
    message: 'El cuerpo de la solicitud no es UTF-8 valido',
    codigo: 'cuerpo_no_utf8',
  },
  {
    of: 'Envelopes',
    rule: 'a compressed body',
    ask: ({ url, users }) =>
      postBytes(url, users.demo, gzipSync('{"Guia":[]}'), { 'content-encoding': 'gzip' }),
    status: 415,
    message: 'El cuerpo de la solicitud no debe estar comprimido (Content-Encoding)',
    codigo: 'tipo_de_contenido',
  },
  {
    of: 'Envelopes',
    rule: 'a body of more values than any request needs',
    ask: ({ users }) => users.demo.post(CREATE, `{"Guia":[${'1,'.repeat(80_000)}1]}`),
    status: 413,
    message: 'El cuerpo de la solicitud excede el limite de 40000 valores',
    codigo: 'cuerpo_muy_grande',
  },
  {
    of: 'Envelopes',
    rule: 'another method',
    ask: ({ users }) => users.demo.post('/api/sucursales', {}),
    status: 405,
    message: 'Metodo no permitido',
    codigo: 'metodo_no_permitido',
  },
];

describe.each([...Map.groupBy(ROWS, ({ of }) => of)])('%s', (_, rows) => {
  test.for(rows.map((row) => [row.rule, row] as const))('%s', async ([_, row], { api }) => {
    const { status, headers, body } = await row.ask(api);
    expect(status, body.message).toBe(row.status);
    expect(headers.get('x-request-id')).toBeTruthy();
    if (row.message !== undefined) expect(body.message).toBe(row.message);
    if (row.data !== undefined) expect(body.data).toEqual(row.data);
    for (const [name, value] of Object.entries(row.headers ?? {})) expect(headers.get(name)).toEqual(value);
    if (row.campo !== undefined) expect(body.details?.[0]?.campo).toBe(row.campo);
    expect(body.codigo).toBe(row.codigo);
    expect(body.advertencias).toEqual(row.advertencias);
    if (body.details) expect(body.details[0]?.codigo).toBe(row.codigo);
    if (status >= 400) {
      expect(body.response).toBe('ERROR');
      expect(body.requestId).toBe(headers.get('x-request-id'));
    } else if (headers.get('content-type')?.includes('json')) {
      expect(body.response).toBe('OK');
    }
  });
});

describe('Endpoints, permissions', () => {
  const reading = [
    '/api/guias/validar-destino/MEX01',
    '/api/guias/etiqueta/1',
    '/api/guias/etiqueta-pequena/1',
    '/api/guias/etiqueta-10x15/1',
    '/api/guias/1',
    '/api/guias/1/eventos',
    '/api/guias',
    '/api/eventos',
    '/api/sucursales',
    '/api/sucursales/destinos',
    '/api/sucursales/origenes',
    '/api/sucursales/cobertura/06600',
  ];
  const anyToken = ['/api/auth/validate', '/api/apipermissions/my-permissions'];

  test.for([...reading, ...anyToken])('GET %s needs a token', async (path, { api }) => {
    const { status, body } = await call(api.url + path);
    expect([status, body.message]).toEqual([401, 'Acceso denegado']);
  });

  test('routes that read guides or branches need guias.read; the others need any valid token', async ({
    api,
    stores,
  }) => {
    await stores.mongo
      .collection<{ _id: string }>('users')
      .updateOne({ _id: 'inactiva' }, { $set: { permissions: [] } });
    const expected = [...reading.map((path) => [path, 403]), ...anyToken.map((path) => [path, 200])];
    await expect
      .poll(
        async () =>
          Promise.all(
            [...reading, ...anyToken].map(async (path) => [
              path,
              (await api.users.inactiva.get(path)).status,
            ]),
          ),
        // A lost permission is refused within 10 s (docs/contract.md "Authentication").
        { timeout: 10_000, interval: 200 },
      )
      .toEqual(expected);
  });

  test.for(['/api/guias/crear', '/api/guias/validar', '/api/guias/1/cancelar', '/api/eventos'])(
    'POST %s needs a token, and a permission',
    async (path, { api }) => {
      const asked = await Promise.all(
        [api.anonymous, api.users.lectura].map((client) => client.post(path, domicilio(minimalGuide()))),
      );
      expect(asked.map(({ status }) => status)).toEqual([401, 403]);
    },
  );

  test('POST /api/guias/etiquetas needs a token, and guias.read', async ({ api }) => {
    expect((await labelFile(api.anonymous, [api.number])).status).toBe(401);
    expect((await labelFile(api.users.lectura, [])).status).toBe(400);
    expect((await labelFile(api.users.inactiva, [])).status).toBe(403); // it has lost its permissions above
  });
});
