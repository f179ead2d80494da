import { createHmac, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { type Answer, Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { test as systemTest } from '#test/fixtures/system.ts';

/**
 * The contract, a row for each message and rule, against the running processes over HTTP, by the sections of
 * docs/contract.md. Who may do what is in `test/api/accounts/authorize.test.ts`. What the rows are made of stands below
 * them: the requests, then the answers.
 */
const rows = (): Record<string, Row[]> => ({
  'Messages and statuses': [
    ['login without credentials', ({ login }) => login({}), no('login_headers_faltan')],
    ['login with a wrong password', login('demo', 'otra1234'), no('credenciales_incorrectas')],
    ['login of an unknown user', login('nadie', 'demo1234'), no('credenciales_incorrectas')],
    ['an expired token', validated({ sub: 'demo', iat: now - 9, exp: now - 1 }), no('token_expirado')],
    ['no token', ({ url }) => call(`${url}/api/sucursales`), no('acceso_denegado')],
    ['a token that is none', ({ anonymous }) => anonymous.get('/api/sucursales'), no('acceso_denegado')],
    ['a token of an unknown user', validated({ sub: 'nadie' }), no('acceso_denegado')],
    ['guias.create is missing', create(ONE, 'lectura'), no('sin_permiso')],
    ['TipoServicio is missing', post(CREATE, { Guia: ONE }), no('tipo_servicio_requerido')],
    ['TipoServicio has another value', create(ONE, 'demo', 'Ocurre'), no('tipo_servicio_invalido')],
    ['the user has no origin branch', create(ONE, 'sinorigen'), no('origen_no_asignado')],
    ['the origin branch is disabled', create(ONE, 'inactiva'), no('origen_invalido')],
    ['DestinoCode is not a valid branch', to({ DestinoCode: 'NADA9' }), no('destino_invalido', AT_CODE)],
    ['the postal code has no branch', to({ CodigoPostal: '99999' }), uncovered('99999', AT_POSTAL_CODE)],
    ['neither destination field', to({}), no('destino_requerido')],
    ['the Guia array is missing', post(CREATE, { TipoServicio: 'Domicilio' }), missing('Guia')],
    ['the guide number does not exist', get('/api/guias/etiqueta/999999999995'), no('guia_no_encontrada')],
    [
      'the label of a cancelled guide',
      withGuide(async ({ otro }, number) => {
        await cancel(otro, number);
        return otro.get(`/api/guias/etiqueta/${number}`);
      }),
      no('guia_cancelada'),
    ],
  ],
  Authentication: [
    [
      'a token is ended',
      ({ withToken }) => withToken({ ...hour, sub: 'demo', gen: 0, jti: 'una' }).post('/api/auth/logout', ''),
      { message: 'Sesion cerrada', data: null },
    ],
    [
      'login',
      login('demo', 'demo1234'),
      { message: 'Login exitoso', data: { access_token: text, token_type: 'Bearer', expires_in: 3600 } },
    ],
    [
      'validate',
      get('/api/auth/validate', 'sinorigen'),
      { data: { usuario: 'sinorigen', cuenta: 'sinorigen', sucursal: null, expira: ended } },
    ],
    [
      'validate, of a user in the account of another',
      get('/api/auth/validate', 'demo2'),
      { data: { usuario: 'demo2', cuenta: 'demo', sucursal: 'MEX01', expira: ended } },
    ],
    [
      'my-permissions, sorted',
      get('/api/apipermissions/my-permissions', 'operaciones'),
      { data: ['colas.admin', 'guias.read', 'guias.read.all'] },
    ],
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
    ['the service: pick-up at a branch', create(ONE, 'demo', 'the service'), { message: 'Guias creadas: 1' }],
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
  Labels: [
    ['the letter label', get('/api/guias/etiqueta/{guia}')],
    ['the small label, several packages', get('/api/guias/etiqueta-pequena/{guia}?paquetes=2')],
    ['the label of 10 × 15 cm, several packages', get('/api/guias/etiqueta-10x15/{guia}?paquetes=2')],
    ['the label of 10 × 15 cm, one package', get('/api/guias/etiqueta-10x15/{guia}?paquetes=3&paquete=2')],
    [
      'a label as PNG, by the parameter',
      get('/api/guias/etiqueta/{guia}?formato=png&dpi=300'),
      named('image/png', /^inline; filename="guia-\d{12}\.png"$/),
    ],
    [
      'a label as ZPL, by Accept',
      get('/api/guias/etiqueta-10x15/{guia}?paquetes=2', 'demo', { accept: 'application/zpl' }),
      named('application/zpl', /^inline; filename="guia-\d{12}-10x15\.zpl"$/),
    ],
    [
      'a PNG of several pages',
      get('/api/guias/etiqueta-10x15/{guia}?paquetes=3&formato=png'),
      no('parametro_invalido', { message: 'Un PNG tiene una sola pagina; indique paquete, de 1 a 3' }),
    ],
    [
      'a PNG of many labels',
      file(2, 'carta', 'demo', '?formato=png'),
      parameter(
        'formato',
        'Un PNG tiene una sola pagina y estas etiquetas tienen 2; pida formato=pdf o formato=zpl',
      ),
    ],
    ['another density', get('/api/guias/etiqueta/{guia}?formato=zpl&dpi=600'), parameter('dpi')],
    [
      'a form that there is not',
      get('/api/guias/etiqueta/{guia}', 'demo', { accept: 'application/json' }),
      no('formato_no_aceptable', { headers: { vary: 'Accept' } }),
    ],
    [
      'paquetes out of range',
      get('/api/guias/etiqueta-pequena/{guia}?paquetes=100'),
      parameter('paquetes', 'paquetes debe ser un numero entero de 1 a 99'),
    ],
    [
      'paquete out of range, 10 × 15 cm',
      get('/api/guias/etiqueta-10x15/{guia}?paquetes=2&paquete=3'),
      parameter('paquete', 'paquete debe ser un numero entero de 1 a 2'),
    ],
    ['the labels of many guides as one file, 10 × 15 cm', file(1, '10x15')],
    ['the labels of many guides as one file', file(2)],
    ['a file with a guide of another account', file(1, 'carta', 'otro'), no('guia_no_encontrada')],
    ['a file without the array of guides', post('/api/guias/etiquetas', { Tipo: 'carta' }), missing('Guias')],
    ['a file of no guides', file(0), empty('Guias')],
    ['a file of too many guides', file(501), no('guia_array_largo', { campo: 'Guias' })],
    [
      'a file of a kind that there is not',
      file(1, 'grande'),
      field('campo_formato', 'Tipo', 'solo acepta: carta, pequena, 10x15'),
    ],
  ],
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
      { data: [{ ...createdGuide('MTY01'), SEND_SUCU_ORIG: 'GDL01', SEND_FLETE: 163, SEND_TOTAL: 239.83 }] },
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
  'Test accounts': [
    [
      'the token says so',
      get('/api/auth/validate', 'prueba'),
      { data: expect.objectContaining({ cuenta: 'pruebas', prueba: true }) },
    ],
    [
      'a scenario is played',
      async ({ users }) => {
        const [guide] = await users.prueba.created(minimalGuide());
        return users.prueba.post(`/api/guias/${guide?.SEND_GUIA}/simular`, { Escenario: 'extravio' });
      },
      { message: 'Eventos: 3' },
    ],
    [
      'another account plays none',
      ({ users, number }) => users.demo.post(`/api/guias/${number}/simular`, { Escenario: 'entrega' }),
      no('solo_pruebas'),
    ],
    [
      'no scanner takes its guides',
      async ({ users }) => {
        const [guide] = await users.prueba.created(minimalGuide());
        return users.escaner.post('/api/eventos', {
          Eventos: [{ Guia: guide?.SEND_GUIA, Tipo: 'Recolectado', Ocurrido: new Date().toISOString() }],
        });
      },
      { data: [expect.objectContaining({ resultado: 'rechazado', codigo: 'guia_de_prueba' })] },
    ],
  ],
  'End of the day': [
    [
      'a manifest of guides that are named',
      withGuide(({ otro }, number) => otro.post('/api/manifiestos', { Guias: [number] })),
      {
        message: 'Manifiesto creado',
        data: {
          Manifiesto: expect.stringMatching(/^M[1-9][0-9]{10}$/),
          Fecha: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
          ...{ SEND_SUCU_ORIG: 'GDL01', Guias: 1, Paquetes: 1, Peso: 0 },
          Detalle: [{ SEND_GUIA: text, TipoServicio: 'Domicilio', SEND_SUCU_DEST: 'MEX01', Paquetes: 1 }],
        },
      },
    ],
    [
      'a manifest of all that waits',
      withGuide(({ otro }) => otro.post('/api/manifiestos', {})),
      { message: 'Manifiesto creado' },
    ],
    [
      'a manifest is read, with what was cancelled since',
      withManifest(async ({ otro }, manifest, number) => {
        await cancel(otro, number);
        return otro.get(`/api/manifiestos/${manifest}`);
      }),
      { message: 'Manifiesto encontrado', data: expect.objectContaining({ Guias: 1, Canceladas: 1 }) },
    ],
    ['the list of manifests', get('/api/manifiestos', 'lectura'), { message: 'Manifiestos: 0', data: [] }],
    [
      'its PDF',
      withManifest(({ otro }, manifest) => otro.get(`/api/manifiestos/${manifest}/pdf`)),
      {
        headers: {
          'content-type': 'application/pdf',
          'content-disposition': expect.stringMatching(/^inline; filename="manifiesto-M\d{11}\.pdf"$/),
        },
      },
    ],
    [
      'one scan, in which the guide is missing',
      withManifest(({ escaner }, manifest, number) => scan(escaner, manifest, { Faltan: [number] })),
      { message: 'Eventos registrados: 0', data: [] },
    ],
    [
      'a second scan',
      withManifest(async ({ escaner }, manifest) => {
        await scan(escaner, manifest);
        return scan(escaner, manifest);
      }),
      {
        message: 'Eventos registrados: 0',
        data: [{ indice: 0, SEND_GUIA: text, Id: expect.stringMatching(/^M/), resultado: 'repetido' }],
      },
    ],
    [
      'what is missing is of another manifest',
      withManifest(({ escaner }, manifest) => scan(escaner, manifest, { Faltan: ['999999999995'] })),
      no('guia_fuera_del_manifiesto'),
    ],
    [
      'no scanner takes one of a test account',
      ({ users }) => scan(users.escaner, 'M08291365075'),
      no('guia_de_prueba'),
    ],
    [
      'a guide that is in another manifest',
      withManifest(({ otro }, _, number) => otro.post('/api/manifiestos', { Guias: [number] })),
      {
        ...{ status: 409, codigo: 'guia_en_manifiesto' },
        message: expect.stringMatching(/^La guia ya esta en el manifiesto M\d{11}$/) as unknown as string,
      },
    ],
    [
      'a guide twice',
      withGuide(({ otro }, number) => otro.post('/api/manifiestos', { Guias: [number, number] })),
      no('guia_repetida'),
    ],
    ['a guide of another account', post('/api/manifiestos', { Guias: ['1'] }), no('guia_no_encontrada')],
    [
      'none waits',
      withGuide(async ({ otro }) => {
        await otro.post('/api/manifiestos', {});
        return otro.post('/api/manifiestos', {});
      }),
      {
        ...{ status: 409, codigo: 'sin_guias_por_entregar' },
        message: 'La sucursal GDL01 no tiene guias Documentado sin manifiesto',
      },
    ],
    ['an unknown manifest', get('/api/manifiestos/M48291365074'), no('manifiesto_no_encontrado')],
  ],
  Branches: [
    ['a valid destination', get('/api/guias/validar-destino/mty01', 'lectura'), { data: branch('MTY01') }],
    ['an unknown destination', get('/api/guias/validar-destino/NADA9'), no('destino_invalido', NOT_FOUND)],
    [
      'the active branches, by code',
      get('/api/sucursales'),
      branches('GDL01', 'MEX01', 'MTY01', 'PUE01', 'TIJ01'),
    ],
    ['destinations only', get('/api/sucursales/destinos'), branches('GDL01', 'MEX01', 'MTY01', 'PUE01')],
    ['origins only', get('/api/sucursales/origenes'), branches('GDL01', 'MEX01', 'MTY01', 'TIJ01')],
    [
      "a branch's record",
      get('/api/guias/validar-destino/MEX01'),
      {
        data: {
          ...{ Codigo: 'MEX01', Nombre: text, Estado: text, Municipio: text, Colonia: text, Calle: text },
          ...{
            Numero: text,
            CodigoPostal: '06600',
            Telefono: text,
            Origen: true,
            Destino: true,
            Activa: true,
          },
        },
      },
    ],
    [
      'coverage',
      get('/api/sucursales/cobertura/06600'),
      { data: { CodigoPostal: '06600', Sucursal: branch('MEX01') } },
    ],
    ...['99999', '22000', '77500', 'abc'].map((code): Row => {
      return [`no coverage: ${code}`, get(`/api/sucursales/cobertura/${code}`), uncovered(code, NOT_FOUND)];
    }),
    [
      'all coverage',
      get('/api/sucursales/cobertura'),
      {
        message: 'Rangos: 4',
        data: [
          { Desde: '06600', Hasta: '06600', Sucursal: 'MEX01' },
          { Desde: '44100', Hasta: '44100', Sucursal: 'GDL01' },
          { Desde: '64000', Hasta: '64000', Sucursal: 'MTY01' },
          { Desde: '72000', Hasta: '72000', Sucursal: 'PUE01' },
        ],
        headers: { 'cache-control': 'private' },
      },
    ],
  ],
  'Postal codes': [
    ['no catalogue is loaded', get('/api/codigos-postales/06600'), no('sin_catalogo')],
    [
      'four digits',
      get('/api/codigos-postales/6600'),
      parameter('cp', "El parametro 'cp' debe tener 5 digitos, tambien los ceros del principio"),
    ],
  ],
  Events: [
    [
      'events of guides of any account, each with its own result',
      withGuide(({ escaner }, Guia) => {
        const told = { Guia, Tipo: 'EnReparto', Ocurrido: new Date().toISOString(), Id: 'uno' };
        const Eventos = [told, told, { ...told, Tipo: 'Perdido', Id: 'dos' }];
        return escaner.post('/api/eventos', { Eventos });
      }),
      {
        message: 'Eventos registrados: 1',
        data: [
          { indice: 0, Id: 'uno', resultado: 'registrado' },
          { indice: 1, Id: 'uno', resultado: 'repetido' },
          expect.objectContaining({
            indice: 2,
            resultado: 'rechazado',
            campo: 'Tipo',
            codigo: 'campo_formato',
          }),
        ],
      },
    ],
    [
      'a guide with events is not cancelled',
      withGuide(async ({ escaner, otro }, Guia) => {
        const told = { Guia, Tipo: 'Recolectado', Ocurrido: new Date().toISOString() };
        await escaner.post('/api/eventos', { Eventos: [told] });
        return cancel(otro, Guia);
      }),
      no('guia_en_camino'),
    ],
    ['the events of a guide', get('/api/guias/{guia}/eventos'), { message: 'Eventos: 0', data: [] }],
    ['the feed', get('/api/eventos', 'lectura'), { message: 'Eventos: 0', data: [] }],
    ['a cursor that is none of ours', get('/api/eventos?cursor=x'), parameter('cursor')],
    ['without the array', post('/api/eventos', {}, 'escaner'), no('eventos_array_faltante')],
    ['an empty array', post('/api/eventos', { Eventos: [] }, 'escaner'), no('eventos_array_vacio')],
    [
      '501 events',
      post('/api/eventos', { Eventos: Array(501).fill({}) }, 'escaner'),
      no('eventos_array_largo'),
    ],
    ['a number for an event', post('/api/eventos', { Eventos: [7] }, 'escaner'), noObject('Eventos')],
  ],
  Keys: [
    [
      'one is made, and shown once',
      post('/api/llaves', { Nombre: 'una', Permisos: ['guias.read'] }, 'otro'),
      {
        message: 'Llave creada: guardela, no se muestra otra vez',
        data: {
          ...{ Id: text, Nombre: 'una', Permisos: ['guias.read'], Creada: ended, Vence: null },
          ...{ UltimoUso: null, Inicio: expect.stringMatching(/^gk_live_[\w-]{4}$/) },
          Llave: expect.stringMatching(/^gk_live_[\w-]{43}[0-9a-z]{6}$/),
        },
      },
    ],
    [
      'of a test account, it says so',
      post('/api/llaves', { Nombre: 'una' }, 'prueba'),
      { data: expect.objectContaining({ Inicio: expect.stringMatching(/^gk_test_/) }) },
    ],
    [
      "those of the user, not of the account's others",
      get('/api/llaves'),
      { message: 'Llaves: 0', data: [] },
    ],
    ['without a name', post('/api/llaves', {}), required('Nombre')],
    [
      "none of the user's is ended",
      ({ users }) => users.demo.post('/api/llaves/nada', '', {}, 'DELETE'),
      no('llave_no_encontrada'),
    ],
    [
      'an eleventh',
      async ({ users }) => {
        for (let i = 0; i < 10; i++) await users.lectura.post('/api/llaves', { Nombre: 'una' });
        return users.lectura.post('/api/llaves', { Nombre: 'una' });
      },
      no('llaves_excedidas'),
    ],
    ['it is validated', byKey((program) => program.get('/api/auth/validate')), { message: 'Token valido' }],
    ['it makes no other', byKey((program) => program.get('/api/llaves')), no('requiere_token')],
    ['a wrong one', ({ url }) => new Client(url, 'gk_live_no').get('/api/sucursales'), no('acceso_denegado')],
  ],
  Webhooks: [
    [
      'one is registered, and its secret shown',
      post('/api/webhooks', { Url: 'http://127.0.0.1:9/', Descripcion: 'Uno' }, 'otro'),
      {
        message: 'Webhook registrado',
        data: {
          ...{ Id: text, Url: 'http://127.0.0.1:9/', Descripcion: 'Uno', Activo: true, Tipos: [] },
          Secreto: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
        },
      },
    ],
    ['those of the account, without secrets', get('/api/webhooks'), { message: 'Webhooks: 0', data: [] }],
    ['without an address', post('/api/webhooks', {}), required('Url')],
    ['by a user without webhooks.admin', get('/api/webhooks', 'lectura'), no('sin_permiso')],
    ["none of the account's: read", get('/api/webhooks/nada'), no('webhook_no_encontrado')],
    [
      "none of the account's: change",
      ({ users }) => users.demo.patch('/api/webhooks/nada', { Activo: false }),
      no('webhook_no_encontrado'),
    ],
    ...['probar', 'secreto', 'activar'].map((path): Row => {
      return [
        `none of the account's: ${path}`,
        post(`/api/webhooks/nada/${path}`, {}),
        no('webhook_no_encontrado'),
      ];
    }),
  ],
  Envelopes: [
    ['an unknown route', get('/api/rastreo'), no('recurso_no_encontrado')],
    ['the address above all, which only leads browsers', get('/api'), no('recurso_no_encontrado')],
    ['no chapter of the guide, for a program', get('/api/docs/nada.md'), no('recurso_no_encontrado')],
    ['another method of a chapter', post('/api/docs/campos', {}), no('metodo_no_permitido')],
    ['an unknown parameter', get('/api/guias/etiqueta/{guia}?paquete=1'), unknown('paquete')],
    ['a parameter of a route that takes none', get('/api/sucursales?limite=1'), unknown('limite')],
    ['doubled and trailing slashes', get('//api//sucursales/')],
    ['another method, with such slashes', post('//api/sucursales/', {}), no('metodo_no_permitido')],
    ['a body in Latin-1', postBytes(Buffer.from('{"Guia":"\u00f1"}', 'latin1')), no('cuerpo_no_utf8')],
    ['a compressed body', postBytes(gzipSync('{}'), { 'content-encoding': 'gzip' }), no('tipo_de_contenido')],
    [
      'a body of too many values',
      post(CREATE, `{"Guia":[${'1,'.repeat(80_000)}1]}`),
      no('cuerpo_muy_grande'),
    ],
    ['another method', post('/api/sucursales', {}), no('metodo_no_permitido')],
  ],
});

type Row = [rule: string, ask: Ask, expected?: Expected];
type Ask = (api: Api) => Promise<Answer>;
/** The api, and who asks it. */
type Api = {
  url: string;
  users: Record<User, Client>;
  anonymous: Client;
  /** Of a guide of `demo`. */
  number: string;
  login(headers: Record<string, string>): Promise<Answer>;
  /** Whoever has a token of ours with these claims. */
  withToken(claims: object): Client;
};
type User = (typeof USERS)[number];
const USERS = [
  'demo',
  'demo2',
  'otro',
  'lectura',
  'sinorigen',
  'inactiva',
  'escaner',
  'operaciones',
  'prueba',
] as const;

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

const login = (name: string, password: string) => (api: Api) =>
  api.login({ 'x-username': name, 'x-password': password });
const now = Math.floor(Date.now() / 1000);
const hour = { iss: 'shipping-guides', iat: now, exp: now + 3_600 };
/** Validates a token of ours with these claims. */
const validated = (claims: object) => (api: Api) =>
  api.withToken({ ...hour, ...claims }).get('/api/auth/validate');
/** Reads a path as a user; `{guia}` in it stands for the number of a guide of `demo`. */
const get =
  (path: string, user: User = 'demo', headers: Record<string, string> = {}): Ask =>
  ({ users, number }) =>
    users[user].get(path.replace('{guia}', number), headers);
/** Posts a body as a user. */
const post =
  (path: string, body: unknown, user: User = 'demo', headers?: Record<string, string>): Ask =>
  ({ users }) =>
    users[user].post(path, body, headers);
/** Does something by a new key of `operaciones`. */
const byKey =
  (use: (program: Client) => Promise<Answer>): Ask =>
  async ({ url, users }) => {
    const { body } = await users.operaciones.post('/api/llaves', { Nombre: 'una' });
    return use(new Client(url, (body.data as { Llave: string }).Llave));
  };
const CREATE = '/api/guias/crear';
const domicilio = (...guides: unknown[]) => ({ TipoServicio: 'Domicilio', Guia: guides });
/** Creates guides as a user. */
const create =
  (guides: unknown, user: User = 'demo', service?: string): Ask =>
  ({ users }) =>
    users[user].create(guides, service);
/** Creates a minimal guide of `demo` to a destination. */
const to = (destination: Record<string, unknown>) => create([minimalGuide(destination)]);
/** Creates guides, and again others, with one key. */
const twice =
  (one: unknown, other: unknown): Ask =>
  async ({ users }) => {
    const key = { 'idempotency-key': randomUUID() };
    await users.demo.post(CREATE, one, key);
    return users.demo.post(CREATE, other, key);
  };
/** Asks for the labels of the guide of `demo`, so many times, as a user. */
const file =
  (count: number, Tipo = 'carta', user: User = 'demo', query = ''): Ask =>
  ({ users, number }) =>
    users[user].post(`/api/guias/etiquetas${query}`, { Guias: Array(count).fill(number), Tipo });
const postBytes =
  (body: Buffer<ArrayBuffer>, more = {}): Ask =>
  ({ url, users: { demo } }) => {
    const headers = { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json', ...more };
    return call(url + CREATE, { method: 'POST', headers, body });
  };
const cancel = (client: Client, guide: string) => client.post(`/api/guias/${guide}/cancelar`, '');
/** Does something with the number of a new guide of `otro`. */
const withGuide =
  (use: (users: Api['users'], guide: string) => Promise<Answer>): Ask =>
  async ({ users }) =>
    use(users, (await users.otro.created(minimalGuide()))[0]?.SEND_GUIA ?? '');
/** Does something with a manifest of a new guide of `otro`. */
const withManifest = (use: (users: Api['users'], manifest: string, guide: string) => Promise<Answer>): Ask =>
  withGuide(async (users, guide) => {
    const { body } = await users.otro.post('/api/manifiestos', { Guias: [guide] });
    return use(users, (body.data as { Manifiesto: string }).Manifiesto, guide);
  });
const scan = (client: Client, Manifiesto: string, more: object = {}) =>
  client.post('/api/eventos', {
    Manifiesto,
    Tipo: 'Recolectado',
    Ocurrido: new Date().toISOString(),
    ...more,
  });

const ONE = [minimalGuide()];
const UNCOVERED = minimalGuide({ CodigoPostal: '99999' });
const MISSPELT = { CodigoPostal: '06600', Estdo: 'x' };
const withGoods = (goods: object) => ({ ...minimalGuide(), Producto: { Contenido: 'Libros', ...goods } });
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

/** What an answer holds; its status is 200 where none is named. */
type Expected = {
  status?: number;
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

/** What each code says, with its status. The rows give what varies. */
const REFUSALS: Record<string, [status: number, message: string, campo?: string]> = {
  login_headers_faltan: [400, 'Se requieren los headers X-Username y X-Password'],
  credenciales_incorrectas: [401, 'Usuario o contrasena incorrectos'],
  token_expirado: [401, 'Token expirado'],
  acceso_denegado: [401, 'Acceso denegado'],
  sin_permiso: [403, 'No tiene permiso para realizar esta accion'],
  tipo_servicio_requerido: [400, "El campo 'TipoServicio' es requerido", 'TipoServicio'],
  tipo_servicio_invalido: [400, 'TipoServicio solo acepta: Domicilio, the service', 'TipoServicio'],
  origen_no_asignado: [400, 'Usuario API no tiene sucursal de origen asignada'],
  origen_invalido: [400, 'La sucursal de origen no existe o no esta activa'],
  destino_invalido: [400, 'DestinoCode no corresponde a sucursal valida'],
  destino_requerido: [400, 'Se requiere DestinoCode o CodigoPostal'],
  solo_pruebas: [403, 'Solo las cuentas de prueba simulan eventos'],
  sin_catalogo: [404, 'El transportista no ofrece el catalogo de codigos postales'],
  medidas_excedidas: [
    400,
    'Medidas excedidas: el paquete pesa 71 kg, real o volumetrico, y el maximo es 70 kg',
  ],
  cotizacion_invalida: [400, 'La cotizacion no es valida: esta alterada, o es de otra cuenta'],
  cotizacion_distinta: [409, "El campo 'Producto.Peso' es 3 kg y se cotizo 2.5 kg"],
  guia_no_encontrada: [404, 'Guia no encontrada'],
  guia_cancelada: [409, 'La guia esta cancelada'],
  guia_array_largo: [400, 'Maximo 500 guias por solicitud'],
  campo_largo: [
    400,
    "El campo 'Destinatario.Numero_interior' admite hasta 20 caracteres",
    'Destinatario.Numero_interior',
  ],
  idempotencia_invalida: [400, 'Idempotency-Key debe tener de 1 a 255 caracteres visibles'],
  idempotencia_conflicto: [409, 'Idempotency-Key ya usada con otro contenido'],
  formato_no_aceptable: [406, 'Formatos disponibles: application/pdf, image/png, application/zpl'],
  guia_en_camino: [409, 'La guia ya tiene eventos y no se puede cancelar'],
  eventos_array_faltante: [400, "El JSON no contiene el array 'Eventos'"],
  eventos_array_vacio: [400, "El array 'Eventos' esta vacio"],
  eventos_array_largo: [400, 'Maximo 500 eventos por solicitud'],
  guia_repetida: [409, 'La guia esta dos veces en la lista'],
  manifiesto_no_encontrado: [404, 'Manifiesto no encontrado'],
  guia_fuera_del_manifiesto: [400, 'La guia no esta en el manifiesto', 'Faltan'],
  guia_de_prueba: [409, 'La guia es de una cuenta de prueba: no se envia ni se escanea'],
  llave_no_encontrada: [404, 'Llave no encontrada'],
  llaves_excedidas: [409, 'Maximo 10 llaves por usuario'],
  requiere_token: [403, 'Entre con usuario y contrasena: esto no se hace con una llave'],
  webhook_no_encontrado: [404, 'Webhook no encontrado'],
  recurso_no_encontrado: [404, 'Recurso no encontrado'],
  metodo_no_permitido: [405, 'Metodo no permitido'],
  cuerpo_no_utf8: [400, 'El cuerpo de la solicitud no es UTF-8 valido'],
  tipo_de_contenido: [415, 'El cuerpo de la solicitud no debe estar comprimido (Content-Encoding)'],
  cuerpo_muy_grande: [413, 'El cuerpo de la solicitud excede el limite de 40000 valores'],
};

/** A refusal by its code. */
const no = (code: string, more: Expected = {}): Expected => {
  const [status = 400, message, campo] = REFUSALS[code] ?? [];
  return { status, ...(message && { message }), ...(campo && { campo }), codigo: code, ...more };
};
/** A refusal for a field. @param says what comes after its name in the message. */
const field = (codigo: string, campo: string, says: string): Expected =>
  no(codigo, { message: `El campo '${campo}' ${says}`, campo });
const required = (campo: string) => field('campo_requerido', campo, 'es requerido');
const noObject = (array: string) =>
  no('campo_tipo', { message: `Cada elemento de '${array}' debe ser un objeto` });
const branches = (...codes: string[]): Expected => ({ data: codes.map(branch) });
const parameter = (campo: string, message = `El parametro '${campo}' no es valido`): Expected =>
  no('parametro_invalido', { message, campo });
const unknown = (campo: string) =>
  no('parametro_desconocido', { message: `Parametro desconocido: '${campo}'`, campo });
const uncovered = (code: string, more: Expected = {}) =>
  no('sin_cobertura', { message: `No hay cobertura para el código postal: ${code}`, ...more });
const missing = (campo: string) =>
  no('guia_array_faltante', { message: `El JSON no contiene el array '${campo}'`, campo });
const empty = (campo: string) => no('guia_array_vacio', { message: `El array '${campo}' esta vacio`, campo });
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
const NOT_FOUND = { status: 404 };
const AT_CODE = { campo: 'Destinatario.DestinoCode' };
const AT_POSTAL_CODE = { campo: 'Destinatario.CodigoPostal' };
const branch = (code: string) => expect.objectContaining({ Codigo: code, Activa: true });
/** Matches what creation answers for a minimal guide of `demo` to this branch (docs/contract.md "Guides"). */
const createdGuide = (destination: string) => ({
  SEND_GUIA: expect.stringMatching(/^[1-9][0-9]{11}$/),
  SEND_SUCU_ORIG: 'MEX01',
  SEND_SUCU_DEST: destination,
  SEND_ESTATUS: 'Documentado',
  SEND_FECHA: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
  SEND_REMITENTE: 'Ana Lopez',
  SEND_DESTINATARIO: 'Luis Perez',
  SEND_FLETE: 0,
  SEND_TOTAL: 0,
});
/** A created guide that holds these fields. */
const guide = (fields: object): Expected => ({ data: [expect.objectContaining(fields)] });
const optionOf = (TipoServicio: string, SEND_FLETE: number, SEND_TOTAL: number) =>
  expect.objectContaining({ TipoServicio, Moneda: 'MXN', SEND_FLETE, SEND_TOTAL });
const text = expect.any(String);
const ended = expect.stringMatching(/^\d{4}-.*Z$/);
const named = (type: string, name: RegExp) => ({
  headers: { 'content-type': type, 'content-disposition': expect.stringMatching(name), vary: 'Accept' },
});

describe.each(Object.entries(rows()))('%s', (_, section) => {
  test.for(section)('%s', async ([, ask, expected = {}], { api }) => {
    const { status, headers, body } = await ask(api);
    expect(status, body.message).toBe(expected.status ?? 200);
    expect(headers.get('x-request-id')).toBeTruthy();
    if (expected.message !== undefined) expect(body.message).toEqual(expected.message);
    if (expected.data !== undefined) expect(body.data).toEqual(expected.data);
    for (const [name, value] of Object.entries(expected.headers ?? {}))
      expect(headers.get(name)).toEqual(value);
    if (expected.campo !== undefined) expect(body.details?.[0]?.campo).toBe(expected.campo);
    expect(body.codigo).toBe(expected.codigo);
    expect(body.advertencias).toEqual(expected.advertencias);
    if (body.details) expect(body.details[0]?.codigo).toBe(expected.codigo);
    if (status >= 400) {
      expect(body.response).toBe('ERROR');
      expect(body.requestId).toBe(headers.get('x-request-id'));
    } else if (headers.get('content-type')?.includes('json')) {
      expect(body.response).toBe('OK');
    }
  });
});
