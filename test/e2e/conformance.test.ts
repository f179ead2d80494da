import { createHmac, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { generateSecrets } from '#local/secrets.ts';
import { type System, startSystem } from '#local/system.ts';
import { type Answer, Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { freshStores } from '#test/fixtures/old-services.ts';

/**
 * The contract, a row for each message and rule, against the running processes over HTTP. `of` is the section
 * of docs/contract.md.
 */
let stores: Awaited<ReturnType<typeof freshStores>>;
let system: System;
let logFolder: string;
const secrets = generateSecrets();
const users = {} as Record<'demo' | 'otro' | 'lectura' | 'sinorigen' | 'inactiva' | 'operaciones', Client>;
let anonymous: Client;
/** A guide of `demo`. */
let number: string;

beforeAll(async () => {
  stores = await freshStores();
  logFolder = await mkdtemp(join(tmpdir(), 'logs-'));
  system = await startSystem({
    mongoUri: stores.env.MONGODB_URI ?? '',
    redisUrl: inject('redisUrl'),
    redisPrefix: stores.prefix,
    chromiumPath: inject('chromiumPath'),
    secrets,
    logFolder,
  });
  for (const name of ['demo', 'otro', 'lectura', 'sinorigen', 'inactiva', 'operaciones'] as const) {
    users[name] = await Client.login(system.addresses.api, name);
  }
  anonymous = new Client(system.addresses.api, '');
  number = (await users.demo.created(minimalGuide()))[0]?.SEND_GUIA ?? '';
});
afterAll(async () => {
  await system?.stop();
  await stores.close();
  await rm(logFolder, { recursive: true });
});

type Row = {
  of: string;
  rule: string;
  ask: () => Promise<Answer>;
  status: number;
  message?: string;
  /** What `data` must hold. */
  data?: unknown;
  /** Of the first entry of `details`. */
  campo?: string;
};
const CREATE = '/api/guias/crear';
const domicilio = (...guides: unknown[]) => ({ TipoServicio: 'Domicilio', Guia: guides });
const demo = (destination: Record<string, unknown>) => () => users.demo.create([minimalGuide(destination)]);
const login = (headers: Record<string, string>) =>
  call(`${system.addresses.api}/api/auth/login`, { method: 'POST', headers });
const withToken = (claims: object) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  const signature = createHmac('sha256', secrets.jwt).update(content).digest('base64url');
  return new Client(system.addresses.api, `${content}.${signature}`);
};
const now = Math.floor(Date.now() / 1000);
const record = (code: string) => expect.objectContaining({ Codigo: code, Activa: true });

const ROWS: Row[] = [
  // Messages
  {
    of: 'Messages and statuses',
    rule: 'login without credentials',
    ask: () => login({}),
    status: 400,
    message: 'Se requieren los headers X-Username y X-Password',
  },
  {
    of: 'Messages and statuses',
    rule: 'login with a wrong password',
    ask: () => login({ 'x-username': 'demo', 'x-password': 'otra1234' }),
    status: 401,
    message: 'Usuario o contrasena incorrectos',
  },
  {
    of: 'Messages and statuses',
    rule: 'login of an unknown user',
    ask: () => login({ 'x-username': 'nadie', 'x-password': 'demo1234' }),
    status: 401,
    message: 'Usuario o contrasena incorrectos',
  },
  {
    of: 'Messages and statuses',
    rule: 'an expired token',
    ask: () =>
      withToken({ sub: 'demo', iss: 'shipping-guides', iat: now - 9, exp: now - 1 }).get(
        '/api/auth/validate',
      ),
    status: 401,
    message: 'Token expirado',
  },
  {
    of: 'Messages and statuses',
    rule: 'no token',
    ask: () => call(`${system.addresses.api}/api/sucursales`),
    status: 401,
    message: 'Acceso denegado',
  },
  {
    of: 'Messages and statuses',
    rule: 'a token that is none',
    ask: () => anonymous.get('/api/sucursales'),
    status: 401,
    message: 'Acceso denegado',
  },
  {
    of: 'Messages and statuses',
    rule: 'a token of an unknown user',
    ask: () =>
      withToken({ sub: 'nadie', iss: 'shipping-guides', iat: now, exp: now + 60 }).get('/api/auth/validate'),
    status: 401,
    message: 'Acceso denegado',
  },
  {
    of: 'Messages and statuses',
    rule: 'guias.create is missing',
    ask: () => users.lectura.create([minimalGuide()]),
    status: 403,
    message: 'No tiene permiso para realizar esta accion',
  },
  {
    of: 'Messages and statuses',
    rule: 'TipoServicio is missing',
    ask: () => users.demo.post(CREATE, { Guia: [minimalGuide()] }),
    status: 400,
    message: "El campo 'TipoServicio' es requerido",
  },
  {
    of: 'Messages and statuses',
    rule: 'TipoServicio has another value',
    ask: () => users.demo.create([minimalGuide()], 'Ocurre'),
    status: 400,
    message: 'TipoServicio solo acepta: Domicilio, the service',
  },
  {
    of: 'Messages and statuses',
    rule: 'the user has no origin branch',
    ask: () => users.sinorigen.create([minimalGuide()]),
    status: 400,
    message: 'Usuario API no tiene sucursal de origen asignada',
  },
  {
    of: 'Messages and statuses',
    rule: 'the origin branch is disabled',
    ask: () => users.inactiva.create([minimalGuide()]),
    status: 400,
    message: 'La sucursal de origen no existe o no esta activa',
  },
  {
    of: 'Messages and statuses',
    rule: 'DestinoCode is not a valid branch',
    ask: demo({ DestinoCode: 'NADA9' }),
    status: 400,
    message: 'DestinoCode no corresponde a sucursal valida',
    campo: 'Destinatario.DestinoCode',
  },
  {
    of: 'Messages and statuses',
    rule: 'the postal code has no branch',
    ask: demo({ CodigoPostal: '99999' }),
    status: 400,
    message: 'No hay cobertura para el código postal: 99999',
    campo: 'Destinatario.CodigoPostal',
  },
  {
    of: 'Messages and statuses',
    rule: 'neither destination field',
    ask: demo({}),
    status: 400,
    message: 'Se requiere DestinoCode o CodigoPostal',
  },
  {
    of: 'Messages and statuses',
    rule: 'the Guia array is missing',
    ask: () => users.demo.post(CREATE, { TipoServicio: 'Domicilio' }),
    status: 400,
    message: "El JSON no contiene el array 'Guia'",
  },
  {
    of: 'Messages and statuses',
    rule: 'the guide number does not exist',
    ask: () => users.demo.get('/api/guias/etiqueta/999999999995'),
    status: 404,
    message: 'Guia no encontrada',
  },

  // Guide creation
  {
    of: 'Guides',
    rule: 'the minimal guide is accepted',
    ask: () => users.demo.create([minimalGuide()]),
    status: 200,
    message: 'Guias creadas: 1',
  },
  {
    of: 'Guides',
    rule: 'the service: pick-up at a branch',
    ask: () => users.demo.create([minimalGuide()], 'the service'),
    status: 200,
    message: 'Guias creadas: 1',
  },
  {
    of: 'Guides',
    rule: 'several elements create several guides',
    ask: () => users.demo.create([minimalGuide(), minimalGuide(), minimalGuide()]),
    status: 200,
    message: 'Guias creadas: 3',
  },
  {
    of: 'Guides',
    rule: 'its fields on creation',
    ask: () => users.demo.create([minimalGuide({ CodigoPostal: '64000' })]),
    status: 200,
    data: [
      {
        SEND_GUIA: expect.stringMatching(/^[1-9][0-9]{11}$/),
        SEND_SUCU_ORIG: 'MEX01',
        SEND_SUCU_DEST: 'MTY01',
        SEND_ESTATUS: 'Documentado',
        SEND_FECHA: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
        SEND_REMITENTE: 'Ana Lopez',
        SEND_DESTINATARIO: 'Luis Perez',
        SEND_FLETE: 0,
        SEND_TOTAL: 0,
      },
    ],
  },
  {
    of: 'Guides',
    rule: "the origin is the user's branch",
    ask: () => users.otro.create([minimalGuide()]),
    status: 200,
    data: [expect.objectContaining({ SEND_SUCU_ORIG: 'GDL01' })],
  },
  {
    of: 'Guides',
    rule: 'the origin is never sent by the client',
    ask: () => users.demo.post(CREATE, { ...domicilio(minimalGuide()), Origen: 'GDL01' }),
    status: 400,
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
  },
  {
    of: 'Guides',
    rule: 'a branch that is not active covers nothing',
    ask: demo({ CodigoPostal: '77500' }),
    status: 400,
    message: 'No hay cobertura para el código postal: 77500',
  },
  {
    of: 'Guides',
    rule: 'an origin-only branch is no destination',
    ask: demo({ DestinoCode: 'TIJ01' }),
    status: 400,
    message: 'DestinoCode no corresponde a sucursal valida',
  },
  {
    of: 'Guides',
    rule: 'a disabled branch is no destination',
    ask: demo({ DestinoCode: 'CUN01' }),
    status: 400,
    message: 'DestinoCode no corresponde a sucursal valida',
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
    ask: () => users.demo.create([]),
    status: 400,
    message: "El array 'Guia' esta vacio",
  },
  {
    of: 'Guides',
    rule: 'more than 500 guides',
    ask: () => users.demo.create(Array.from({ length: 501 }, () => minimalGuide())),
    status: 400,
    message: 'Maximo 500 guias por solicitud',
  },
  {
    of: 'Guides',
    rule: 'the array is looked at before TipoServicio',
    ask: () => users.demo.post(CREATE, {}),
    status: 400,
    message: "El JSON no contiene el array 'Guia'",
  },
  {
    of: 'Guides',
    rule: 'TipoServicio is looked at before the guides',
    ask: () => users.demo.post(CREATE, { TipoServicio: 'X', Guia: [{}] }),
    status: 400,
    message: 'TipoServicio solo acepta: Domicilio, the service',
  },
  {
    of: 'Guides',
    rule: 'the shape is looked at before the origin',
    ask: () => users.sinorigen.create([{}]),
    status: 400,
    message: "El campo 'Remitente' es requerido",
    campo: 'Remitente',
  },
  {
    of: 'Guides',
    rule: 'the origin is looked at before the destination',
    ask: () => users.sinorigen.create([minimalGuide({ CodigoPostal: '99999' })]),
    status: 400,
    message: 'Usuario API no tiene sucursal de origen asignada',
  },
  {
    of: 'Guides',
    rule: 'types are not coerced',
    ask: demo({ CodigoPostal: 6600 }),
    status: 400,
    message: "El campo 'Destinatario.CodigoPostal' debe tener 5 digitos",
    campo: 'Destinatario.CodigoPostal',
  },
  {
    of: 'Guides',
    rule: 'an unknown field is refused by name',
    ask: demo({ CodigoPostal: '06600', Estdo: 'x' }),
    status: 400,
    message: "Campo desconocido: 'Destinatario.Estdo'",
    campo: 'Destinatario.Estdo',
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
    ask: () => users.demo.post(CREATE, domicilio(minimalGuide()), { 'idempotency-key': 'a b' }),
    status: 400,
    message: 'Idempotency-Key debe tener de 1 a 255 caracteres visibles',
  },
  {
    of: 'Guides',
    rule: 'an Idempotency-Key with another body',
    ask: async () => {
      const key = { 'idempotency-key': randomUUID() };
      await users.demo.post(CREATE, domicilio(minimalGuide()), key);
      return users.demo.post(CREATE, domicilio(minimalGuide(), minimalGuide()), key);
    },
    status: 409,
    message: 'Idempotency-Key ya usada con otro contenido',
  },

  // Labels
  {
    of: 'Labels',
    rule: 'the letter label',
    ask: () => users.demo.get(`/api/guias/etiqueta/${number}`),
    status: 200,
  },
  {
    of: 'Labels',
    rule: 'the small label, several packages',
    ask: () => users.demo.get(`/api/guias/etiqueta-pequena/${number}?paquetes=2`),
    status: 200,
  },
  {
    of: 'Guides',
    rule: "another's guide",
    ask: () => users.otro.get(`/api/guias/etiqueta/${number}`),
    status: 404,
    message: 'Guia no encontrada',
  },
  {
    of: 'Guides',
    rule: "another's guide, small label",
    ask: () => users.otro.get(`/api/guias/etiqueta-pequena/${number}`),
    status: 404,
    message: 'Guia no encontrada',
  },
  {
    of: 'Guides',
    rule: "another's guide with guias.read.all",
    ask: () => users.operaciones.get(`/api/guias/etiqueta/${number}`),
    status: 200,
  },
  {
    of: 'Guides',
    rule: 'a number of wrong form',
    ask: () => users.demo.get('/api/guias/etiqueta/abc'),
    status: 404,
    message: 'Guia no encontrada',
  },
  {
    of: 'Labels',
    rule: 'paquetes out of range',
    ask: () => users.demo.get(`/api/guias/etiqueta-pequena/${number}?paquetes=100`),
    status: 400,
    campo: 'paquetes',
  },

  // Destinations, branches, coverage
  {
    of: 'Branches',
    rule: 'a valid destination',
    ask: () => users.lectura.get('/api/guias/validar-destino/mty01'),
    status: 200,
    data: record('MTY01'),
  },
  {
    of: 'Branches',
    rule: 'an unknown destination',
    ask: () => users.demo.get('/api/guias/validar-destino/NADA9'),
    status: 404,
    message: 'DestinoCode no corresponde a sucursal valida',
  },
  {
    of: 'Guides',
    rule: 'an origin-only branch is no valid destination',
    ask: () => users.demo.get('/api/guias/validar-destino/TIJ01'),
    status: 404,
    message: 'DestinoCode no corresponde a sucursal valida',
  },
  {
    of: 'Branches',
    rule: 'all branches: the active ones, by code',
    ask: () => users.demo.get('/api/sucursales'),
    status: 200,
    data: ['GDL01', 'MEX01', 'MTY01', 'PUE01', 'TIJ01'].map(record),
  },
  {
    of: 'Branches',
    rule: 'destinations only',
    ask: () => users.demo.get('/api/sucursales/destinos'),
    status: 200,
    data: ['GDL01', 'MEX01', 'MTY01', 'PUE01'].map(record),
  },
  {
    of: 'Branches',
    rule: 'origins only',
    ask: () => users.demo.get('/api/sucursales/origenes'),
    status: 200,
    data: ['GDL01', 'MEX01', 'MTY01', 'TIJ01'].map(record),
  },
  {
    of: 'Branches',
    rule: "a branch's record",
    ask: () => users.demo.get('/api/guias/validar-destino/MEX01'),
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
    ask: () => users.demo.get('/api/sucursales/cobertura/06600'),
    status: 200,
    data: { CodigoPostal: '06600', Sucursal: record('MEX01') },
  },
  ...['99999', '22000', '77500', 'abc'].map((postalCode) => ({
    of: 'Branches',
    rule: `no coverage: ${postalCode}`,
    ask: () => users.demo.get(`/api/sucursales/cobertura/${postalCode}`),
    status: 404,
    message: `No hay cobertura para el código postal: ${postalCode}`,
  })),

  // Authentication
  {
    of: 'Authentication',
    rule: 'login',
    ask: () => login({ 'x-username': 'demo', 'x-password': 'demo1234' }),
    status: 200,
    message: 'Login exitoso',
    data: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 },
  },
  {
    of: 'Authentication',
    rule: 'validate',
    ask: () => users.sinorigen.get('/api/auth/validate'),
    status: 200,
    data: { usuario: 'sinorigen', sucursal: null, expira: expect.stringMatching(/^\d{4}-.*Z$/) },
  },
  {
    of: 'Authentication',
    rule: 'my-permissions, sorted',
    ask: () => users.operaciones.get('/api/apipermissions/my-permissions'),
    status: 200,
    data: ['colas.admin', 'guias.read', 'guias.read.all'],
  },

  // HTTP
  {
    of: 'Envelopes',
    rule: 'an unknown route',
    ask: () => users.demo.get('/api/rastreo'),
    status: 404,
    message: 'Recurso no encontrado',
  },
  {
    of: 'Envelopes',
    rule: 'another method',
    ask: () => users.demo.post('/api/sucursales', {}),
    status: 405,
    message: 'Metodo no permitido',
  },
];

describe.each([...Map.groupBy(ROWS, ({ of }) => of)])('%s', (_, rows) => {
  it.each(rows.map((row) => [row.rule, row] as const))('%s', async (_, row) => {
    const { status, headers, body } = await row.ask();
    expect(status, body.message).toBe(row.status);
    expect(headers.get('x-request-id')).toBeTruthy();
    if (row.message !== undefined) expect(body.message).toBe(row.message);
    if (row.data !== undefined) expect(body.data).toEqual(row.data);
    if (row.campo !== undefined) expect(body.details?.[0]?.campo).toBe(row.campo);
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
    '/api/sucursales',
    '/api/sucursales/destinos',
    '/api/sucursales/origenes',
    '/api/sucursales/cobertura/06600',
  ];
  const anyToken = ['/api/auth/validate', '/api/apipermissions/my-permissions'];

  it.each([...reading, ...anyToken])('GET %s needs a token', async (path) => {
    const { status, body } = await call(system.addresses.api + path);
    expect([status, body.message]).toEqual([401, 'Acceso denegado']);
  });

  it('those that read need guias.read, and the others any token', async () => {
    await stores.mongo
      .collection<{ _id: string }>('users')
      .updateOne({ _id: 'inactiva' }, { $set: { permissions: [] } });
    const expected = [...reading.map((path) => [path, 403]), ...anyToken.map((path) => [path, 200])];
    await expect
      .poll(
        async () =>
          Promise.all(
            [...reading, ...anyToken].map(async (path) => [path, (await users.inactiva.get(path)).status]),
          ),
        // A lost permission is refused within 10 s (docs/contract.md "Authentication").
        { timeout: 10_000, interval: 200 },
      )
      .toEqual(expected);
  });

  it('POST /api/guias/crear needs a token', async () => {
    expect((await anonymous.create([minimalGuide()])).status).toBe(401);
  });
});
