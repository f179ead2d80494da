import { describe, expect } from 'vitest';
import { keysStay } from '#services/api/accounts/commands/command-line.ts';
import { ENDED } from '#services/api/accounts/commands/user-commands.ts';
import { isCommonPassword } from '#services/api/accounts/common-passwords.ts';
import { run } from '#services/api/cli.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { makeCanaryAccount } from '#test/fixtures/canary-account.ts';
import { Client, logIn, minimalGuide } from '#test/fixtures/client.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

/** Within which a change of a user is in force, in ms (docs/contract.md "Authentication"). */
const IN_FORCE = 10_000;
const PASSWORD = 'una clave larga';

const test = services
  /** Runs `npm run admin -- limits …`. */
  .extend('limits', { scope: 'file' }, ({ stores }) => (...args: string[]) => {
    return runCommand(run, ['limits', ...args], { env: { MONGODB_URI: stores.mongoUri } });
  })
  /** Runs `npm run admin -- …` with this on standard input. */
  .extend('admin', { scope: 'file' }, ({ stores }) => (args: string[], input = '', uri = stores.mongoUri) => {
    return runCommand(run, args, { input, env: { MONGODB_URI: uri } });
  })
  .extend('create', { scope: 'file' }, ({ admin }) => (name: string, ...options: string[]) => {
    return admin(['create', name, ...options], `${PASSWORD}\n`);
  })
  .extend(
    'login',
    { scope: 'file' },
    ({ api }) =>
      (name: string, password = PASSWORD) =>
        logIn(api.url, name, password),
  );

const permissionsOf = async (client: Client) =>
  (await client.get('/api/apipermissions/my-permissions')).body.data;

describe('create', () => {
  test('makes a user who can log in and create guides from the branch given', async ({ api, create }) => {
    const permissions = 'guias.read,guias.create,guias.read';
    const { code, out, err } = await create('tienda', '--permissions', permissions, '--origin', 'mex01');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(
      'Usuario creado: tienda (cuenta: tienda; permisos: guias.read, guias.create; origen: MEX01)',
    );
    expect(out).toContain('no se comprueba que la sucursal MEX01 exista');
    expect(out).not.toContain(PASSWORD);
    const client = await Client.login(api.url, 'tienda', PASSWORD);
    expect(await permissionsOf(client)).toEqual(['guias.create', 'guias.read']);
    expect(await client.created(minimalGuide())).toMatchObject([{ SEND_SUCU_ORIG: 'MEX01' }]);
  });

  test('makes a test account, which has no other users, nor its users another account', async ({
    create,
    admin,
  }) => {
    const { out } = await create('ensayo', '--test');
    expect(out).toContain(
      'Usuario creado: ensayo (cuenta: ensayo, de prueba; permisos: ninguno; origen: ninguno)',
    );
    expect((await create('ensayo2', '--test', '--account', 'ensayo')).code).toBe(0);
    expect((await create('real', '--account', 'ensayo')).err).toBe(
      'La cuenta ensayo es de prueba, y eso no cambia. Use otra cuenta\n',
    );
    expect((await admin(['account', 'ensayo2', 'demo'])).err).toBe(
      'La cuenta demo no es de prueba, y eso no cambia. Use otra cuenta\n',
    );
    expect((await admin(['list'])).out).toMatch(/^ensayo +ensayo \(prueba\) /m);
  });

  test("puts nobody into a canary's account, and its user into no other", async ({
    create,
    admin,
    stores,
  }) => {
    await makeCanaryAccount(stores);
    const refused =
      'La cuenta guardia-cliente es del cliente de prueba (canary), y no admite a nadie mas. Use otra cuenta\n';
    expect((await create('intruso', '--test', '--account', 'guardia-cliente')).err).toBe(refused);
    expect((await create('intruso', '--account', 'guardia-cliente')).err).toBe(refused);
    for (const name of ['demo', 'prueba'])
      expect((await admin(['account', name, 'guardia-cliente'])).err).toBe(refused);
    for (const account of ['pruebas', 'demo', 'nueva'])
      expect((await admin(['account', 'guardia-cliente', account])).err).toBe(
        'guardia-cliente es del cliente de prueba (canary), y no cambia de cuenta\n',
      );
    const kinds = await new UserStore(stores.mongo).kindsOf(['guardia-cliente', 'pruebas', 'demo', 'nueva']);
    expect(Object.fromEntries(kinds)).toEqual({
      demo: 'customer',
      'guardia-cliente': 'canary',
      pruebas: 'test',
    });
  });

  test('refuses a name that a spreadsheet would run, of a user and of an account', async ({ create }) => {
    const rule =
      'no admite = + - @ al principio ni tras ;, porque una hoja de calculo lo tomaria por una formula';
    expect(await create('=cmd|calc')).toMatchObject({ code: 2, out: '', err: `El usuario ${rule}\n` });
    expect((await create('hoja', '--account', '@hoja')).err).toBe(`La cuenta ${rule}\n`);
  });

  test('refuses a name that is taken, and leaves that user alone', async ({ create, login }) => {
    expect(await create('demo')).toEqual({ code: 1, out: '', err: 'El usuario ya existe: demo\n' });
    expect((await login('demo', 'demo1234')).status).toBe(200);
  });

  test('says whose guides a user gets, of an account that exists or existed', async ({
    admin,
    api,
    create,
    stores,
  }) => {
    await create('vieja', '--permissions', 'guias.create', '--origin', 'MEX01');
    const client = await Client.login(api.url, 'vieja', PASSWORD);
    await client.created(minimalGuide());
    expect((await create('vieja2', '--account', 'vieja')).out).toContain(
      '\nVe las guias de la cuenta, como vieja\n',
    );
    const users = new UserStore(stores.mongo);
    for (const name of ['vieja', 'vieja2']) await users.remove(name);
    const webhook = { account: 'vieja', url: 'https://tienda.example/', description: '', cursor: 0 };
    await new WebhookStore(stores.mongo).add(webhook, 'whsec_x');
    const existed = (user: string) =>
      `\nLa cuenta vieja ya existio: ${user} tiene ahora sus guias y sus webhooks (1). Si es otro cliente, use otra cuenta.\n`;
    expect((await create('vieja')).out).toContain(existed('vieja'));
    await users.remove('vieja');
    expect((await create('mudada')).out).not.toContain('existio');
    expect((await admin(['account', 'mudada', 'vieja'])).out).toContain(existed('mudada'));
    expect((await admin(['account', 'mudada', 'vieja'])).out).not.toContain('existio');
  });
});

describe('a password', () => {
  test.for([
    ['too short', 'once letras\n', 'La contrasena debe tener al menos 12 caracteres'],
    ['common', 'administrator\n', 'La contrasena es de las comunes'],
    ['longer than a header may be', 'ñ'.repeat(129), 'La contrasena debe tener 256 bytes como maximo'],
    ['with a control character', 'una\u0007clave larga\n', 'La contrasena no admite caracteres de control'],
    ['not UTF-8', 'contrase\ufffda nueva\n', 'La contrasena tiene un caracter roto'],
  ] as const)('that is %s is refused', async ([_, input, message], { admin }) => {
    const { code, out, err } = await admin(['create', 'sinclave'], input);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
    expect((await admin(['disable', 'sinclave'])).code).toBe(1);
  });

  test('is neither taken from an option nor repeated', async ({ admin }) => {
    const { code, out, err } = await admin(['create', 'x', '--password', 'clave-secreta'], `${PASSWORD}\n`);
    expect(code).toBe(2);
    expect(out + err).not.toContain('clave-secreta');
  });

  test('is the first line of standard input, also as Windows writes it', async ({ admin, create, login }) => {
    await create('olvido');
    const { code, out, err } = await admin(['password', 'olvido'], 'contraseña nueva\r\nno esto\r\n');
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(`Contrasena cambiada: olvido\n${keysStay('olvido')}\n`);
    expect((await login('olvido')).status).toBe(401);
    const utf8 = Buffer.from('contraseña nueva').toString('latin1');
    expect((await login('olvido', utf8)).status).toBe(200);
  });
});

describe('a user who is logged in', () => {
  test('is refused when disabled, and let in when enabled again', async ({ admin, api, create, login }) => {
    await create('cierre');
    const client = await Client.login(api.url, 'cierre', PASSWORD);
    expect((await client.get('/api/auth/validate')).status).toBe(200);

    expect((await admin(['disable', 'cierre'])).out).toBe('Usuario deshabilitado: cierre\n');
    expect((await login('cierre')).status).toBe(401);
    passTime(IN_FORCE);
    const { status, body } = await client.get('/api/auth/validate');
    expect([status, body.codigo]).toEqual([401, 'acceso_denegado']);

    expect((await admin(['enable', 'cierre'])).out).toBe('Usuario habilitado: cierre\n');
    expect((await login('cierre')).status).toBe(200);
    passTime(IN_FORCE);
    expect((await client.get('/api/auth/validate')).status).toBe(401); // the token of before
  });

  test('gains and loses permissions, and the branch of origin', async ({ admin, api, create }) => {
    await create('cambios', '--permissions', 'guias.read');
    const client = await Client.login(api.url, 'cambios', PASSWORD);
    expect((await client.create([minimalGuide()])).status).toBe(403);

    const granted = await admin(['grant', 'cambios', 'guias.create', 'guias.read']);
    expect(granted.out).toBe(
      'Permisos cambiados: cambios (cuenta: cambios; permisos: guias.read, guias.create; origen: ninguno)\n',
    );
    expect((await admin(['origin', 'cambios', ' gdl01 '])).out).toContain('origen: GDL01');
    passTime(IN_FORCE);
    expect((await client.created(minimalGuide()))[0]?.SEND_SUCU_ORIG).toBe('GDL01');

    expect((await admin(['origin', 'cambios', '--none'])).out).toContain('origen: ninguno');
    const revoked = await admin(['revoke', 'cambios', 'guias.read', 'colas.admin']);
    expect(revoked.out).toBe(
      'Permisos cambiados: cambios (cuenta: cambios; permisos: guias.create; origen: ninguno)\n',
    );
    passTime(IN_FORCE);
    const { body } = await client.create([minimalGuide()]);
    expect(body.codigo).toBe('origen_no_asignado');
    expect(await permissionsOf(client)).toEqual(['guias.create']);
  });

  test.for<[string, (name: string) => string]>([
    ['revoke', (name) => `Terminados: ${ENDED} de ${name}\n`],
    ['password', (name) => `Contrasena cambiada: ${name}\n${keysStay(name)}\n`],
  ])('loses all tokens by %s', async ([command, said], { admin, api, create }) => {
    const name = `tokens-${command}`;
    await create(name);
    const client = await Client.login(api.url, name, PASSWORD);
    expect(await admin([command, name], `${PASSWORD}\n`)).toEqual({ code: 0, out: said(name), err: '' });
    passTime(IN_FORCE);
    expect((await client.get('/api/auth/validate')).body.codigo).toBe('acceso_denegado');
    const again = await Client.login(api.url, name, PASSWORD);
    expect((await again.get('/api/auth/validate')).status).toBe(200);
  });
});

describe('an account', () => {
  test('gets the guides and manifests that a user made before joining it', async ({
    admin,
    api,
    create,
    stores,
  }) => {
    for (const name of ['antes', 'ajena']) {
      await create(name, '--permissions', 'guias.create,guias.read', '--origin', 'MEX01');
    }
    const guides = stores.mongo.collection<{ _id: string; account?: string }>('guides');
    const numbers: string[] = [];
    for (const name of ['antes', 'antes', 'ajena']) {
      const [guide] = await (await Client.login(api.url, name, PASSWORD)).created(minimalGuide());
      numbers.push(guide?.SEND_GUIA ?? '');
    }
    const before = await Client.login(api.url, 'antes', PASSWORD);
    await before.post('/api/manifiestos', { Guias: [numbers[1]] });
    // As guides were stored before there were accounts.
    await guides.updateOne({ _id: numbers[0] ?? '' }, { $unset: { account: '' } });

    const { code, out } = await admin(['account', 'antes', 'consorcio']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Guias revisadas: \d+\nCuenta cambiada: antes \(cuenta: consorcio; /);
    expect(out).toContain('Si el usuario crea guias ahora, repita el comando en 10 segundos');
    const stored = await guides.find({ _id: { $in: numbers } }).toArray();
    expect(numbers.map((number) => stored.find(({ _id }) => _id === number)?.account)).toEqual([
      'consorcio',
      'consorcio',
      'ajena',
    ]);
    const manifest = await stores.mongo.collection('manifests').findOne({ 'guides.number': numbers[1] });
    expect(manifest?.account).toBe('consorcio');
  });

  test('the last user that leaves an account closes it', async ({ admin, create, limits, stores }) => {
    for (const name of ['pionera', 'ultima']) await create(name, '--account', 'sola');
    await limits('sola', '--label-pages', '7');
    const closed = 'La cuenta sola ya no tiene usuarios. Sus limites propios se quitaron.\n';
    expect((await admin(['account', 'pionera', 'otra'])).out).not.toContain(closed);
    expect((await admin(['account', 'ultima', 'otra'])).out).toContain(closed);
    expect(await stores.mongo.collection('accounts').findOne({ _id: 'sola' as never })).toBeNull();
  });
});

describe('list', () => {
  test('shows all users in a table', async ({ admin }) => {
    await admin(['disable', 'inactiva']);
    const { code, out } = await admin(['list']);
    expect(code).toBe(0);
    expect(out).toMatch(/^USUARIO +CUENTA +ESTADO +ORIGEN +PERMISOS$/m);
    expect(out).toMatch(/^demo2 +demo +activo +MEX01 +guias\.create guias\.read$/m);
    expect(out).toMatch(/^sinorigen +sinorigen +activo +- /m);
    expect(out).toMatch(/^inactiva +inactiva +deshabilitado +CUN01 /m);
  });

  test('prints JSON without password hashes', async ({ admin }) => {
    const { out } = await admin(['list', '--json']);
    expect(JSON.parse(out)).toContainEqual({
      username: 'lectura',
      account: 'lectura',
      permissions: ['guias.read', 'guias.quote'],
      originBranch: 'MEX01',
      disabled: false,
      demo: true,
      test: false,
    });
    expect(out).not.toContain('argon2');
  });
});

describe('refuses', () => {
  test.for(['disable', 'revoke', 'remove'])('to %s an unknown user', async (command, { admin }) => {
    const result = await admin([command, 'fantasma']);
    expect(result).toEqual({ code: 1, out: '', err: 'El usuario no existe: fantasma\n' });
  });

  test.for<[string, string[], string]>([
    ['an unknown command', ['borrar', 'demo'], 'Comando desconocido'],
    ['no user', ['disable'], 'Falta un argumento'],
    ['an unknown permission', ['grant', 'demo', 'guias.read', 'guias.borrar'], 'Permiso desconocido'],
    ['an empty name', ['create', ''], 'Un argumento esta vacio'],
    // It would show the password.
    ['an empty file', ['reset', 'demo', '--passwords', ''], 'Un argumento esta vacio'],
    ['a blank account', ['list', '--account= '], 'Un argumento esta vacio'],
    ['a wrong branch code', ['origin', 'demo', 'MEX-01'], 'El codigo de sucursal debe tener'],
    ['neither branch nor --none', ['origin', 'demo'], 'Indique un codigo, o bien --none'],
    ['both a branch and --none', ['origin', 'demo', 'MEX01', '--none'], 'Indique un codigo, o bien --none'],
  ])('%s', async ([_, args, message], { admin }) => {
    const { code, err } = await admin(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('to run without MONGODB_URI, or without an answer from it', async ({ admin }) => {
    expect(await admin(['list'], '', '')).toMatchObject({
      code: 2,
      err: expect.stringContaining('MONGODB_URI'),
    });
    const { code, err } = await admin(['list'], '', 'mongodb://jefe:secreto@127.0.0.1:1/guias');
    expect([code, err]).toEqual([1, 'La base de datos de MONGODB_URI no responde, intente de nuevo\n']);
  });
});

const policy = async (client: Client) =>
  (await client.get('/api/auth/validate')).headers.get('ratelimit-policy');

describe('npm run admin -- limits', () => {
  test('gives an account its own limits within ten seconds, and takes them', async ({ demo, limits }) => {
    expect(await policy(demo)).toBe('"solicitudes";q=3000;w=3');
    const set = await limits('demo', '--requests-per-second', '50', '--requests-burst', '200');
    expect(set).toEqual({
      code: 0,
      out: [
        'Limites de la cuenta demo:',
        '  REQUESTS_PER_SECOND_PER_ACCOUNT: 50',
        '  REQUESTS_BURST_PER_ACCOUNT: 200',
        '  GUIDES_PER_DAY_PER_ACCOUNT: el de la configuracion',
        '  LABEL_PAGES_PER_ACCOUNT: el de la configuracion',
        'Sus guias sin cotizacion responden 0 y se cobran con la tarifa (no)',
        '',
      ].join('\n'),
      err: '',
    });
    passTime(IN_FORCE);
    expect(await policy(demo)).toBe('"solicitudes";q=200;w=4');

    const more = await limits('demo', '--guides-per-day', '7', '--label-pages', '9');
    expect(more.out).toContain('GUIDES_PER_DAY_PER_ACCOUNT: 7\n  LABEL_PAGES_PER_ACCOUNT: 9\n');
    expect((await limits('demo')).out).toContain('REQUESTS_PER_SECOND_PER_ACCOUNT: 50\n');

    expect((await limits('demo', '--default')).out).not.toMatch(/: \d/);
    passTime(IN_FORCE);
    expect(await policy(demo)).toBe('"solicitudes";q=3000;w=3');
  });

  test.for<[string, string[], number, string]>([
    ['an account without users', ['fantasma'], 1, 'La cuenta no tiene usuarios: fantasma\n'],
    ['both a limit and --default', ['demo', '--default', '--label-pages', '3'], 2, 'o bien --default\n'],
    [
      'a way without a meaning',
      ['demo', '--cotizar', 'si'],
      2,
      'El modo de --cotizar debe ser al_crear, exigir o no\n',
    ],
    [
      'no limit',
      ['demo', '--label-pages', '0'],
      2,
      'Un limite debe ser un numero entero de 1 a 1000000000\n',
    ],
  ])('refuses %s', async ([_, args, code, message], { limits }) => {
    const result = await limits(...args);
    expect([result.code, result.out]).toEqual([code, '']);
    expect(result.err).toContain(message);
  });
});

test('common passwords are those of the list, also with digits and signs, of this country, twice, or of digits', () => {
  const common = ['¡2026-Password.2026!', 'Guadalajara2026', 'dragondragon', '1234567890123'];
  for (const password of common) expect(isCommonPassword(password), password).toBe(true);
  for (const password of ['una clave larga', 'correo-tinta-monte-7', '日本語のパスワード長い言葉'])
    expect(isCommonPassword(password), password).toBe(false);
});
