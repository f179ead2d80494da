import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { createCustomers } from '#services/api/accounts/customers/create-customers.ts';
import { PasswordFile } from '#services/api/accounts/customers/one-time-passwords.ts';
import { run } from '#services/api/cli.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { makeCanaryAccount } from '#test/fixtures/canary-account.ts';
import { Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

/** `npm run admin -- import`, `reset`, and the filters of `list`. */

const PASSWORD = 'una clave larga';
const NEXT = 'una clave muy larga';
const IN_FORCE = 10_000;
const FORMULA =
  'no admite = + - @ al principio ni tras ;, porque una hoja de calculo lo tomaria por una formula';

const test = services
  .extend('operator', { scope: 'file' }, ({ stores, folder }) => ({
    ...{ MONGODB_URI: stores.mongoUri, OPERATOR: 'ana', INIT_CWD: folder },
  }))
  /** Runs `npm run admin -- …`. */
  .extend(
    'admin',
    { scope: 'file' },
    ({ operator }) =>
      (...args: string[]) =>
        runCommand(run, args, { env: operator }),
  )
  .extend('trail', { scope: 'file' }, ({ stores }) => new AuditStore(stores.mongo))
  .extend('users', { scope: 'file' }, ({ stores }) => new UserStore(stores.mongo))
  .extend('newUser', { scope: 'file' }, ({ users }) => userMaker(users, PASSWORD))
  /** Writes a file of customers. @returns its name. */
  .extend('file', { scope: 'file' }, ({ folder }) => async (name: string, ...lines: string[]) => {
    await writeFile(join(folder, name), `${lines.join('\n')}\n`);
    return name;
  })
  /** Returns the passwords in a file of them, by user. */
  .extend('passwordsIn', { scope: 'file' }, ({ folder }) => async (name: string) => {
    const [head, ...lines] = (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n');
    expect(head).toBe('\uFEFFUsuario,Cuenta,Contrasena,Vence');
    return new Map(
      lines.map((line) => line.split(',')).map(([user = '', , password = '']) => [user, password]),
    );
  })
  /** Changes a password. @returns the status. */
  .extend('change', { scope: 'file' }, ({ api }) => async (name: string, password = '') => {
    const { status } = await call(`${api.url}/api/auth/password`, {
      method: 'POST',
      headers: { 'x-username': name, 'x-password': password, 'content-type': 'application/json' },
      body: JSON.stringify({ ContrasenaNueva: NEXT }),
    });
    return status;
  });

describe('an import', () => {
  test('creates users with their accounts, whose first step is a password of their own', async ({
    admin,
    api,
    change,
    file,
    folder,
    passwordsIn,
    trail,
  }) => {
    const name = await file(
      'clientes.csv',
      'Usuario;Cuenta;Permisos;Origen;Prueba;GuiasPorDia',
      'norte1;norte;guias.create guias.read;mex01;;700',
      'norte2;norte;guias.read;;no;',
      'ensayos;;guias.create,guias.read;GDL01;si;',
    );
    const { code, out, err } = await admin('import', name, '--passwords', 'claves.csv');
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      [
        'Cargado. Usuarios nuevos: 3. Ya estaban: 0. Distintos: 0.',
        `Contrasenas temporales, por 30 dias, en ${join(folder, 'claves.csv')}: entreguelas y borre el archivo.`,
        '',
      ].join('\n'),
    );
    expect((await stat(join(folder, 'claves.csv'))).mode & 0o777).toBe(0o600);
    const passwords = await passwordsIn('claves.csv');
    expect([...passwords.keys()]).toEqual(['norte1', 'norte2', 'ensayos']);
    for (const password of passwords.values())
      expect(password).toMatch(/^([a-hjkmnp-z2-9]{4}-){3}[a-hjkmnp-z2-9]{4}$/);

    expect(await change('norte1', passwords.get('norte1'))).toBe(200);
    const client = await Client.login(api.url, 'norte1', NEXT);
    expect(await client.created(minimalGuide())).toMatchObject([{ SEND_SUCU_ORIG: 'MEX01' }]);
    expect((await admin('limits', 'norte')).out).toContain('GUIDES_PER_DAY_PER_ACCOUNT: 700\n');
    expect((await admin('list', 'ensayos')).out).toMatch(
      /^ensayos +ensayos \(prueba\) +temporal +GDL01 +guias\.create guias\.read$/m,
    );
    const events = await trail.find({ user: 'norte2' }, 5);
    expect(events).toMatchObject(
      ['ok', 'started'].map((outcome) => ({
        ...{ action: 'admin.create', actor: 'ana', outcome },
        details: { account: 'norte', permissions: 'guias.read', file: 'clientes.csv' },
      })),
    );
    expect(JSON.stringify(events)).not.toContain(passwords.get('norte2'));

    const repeated = await admin('import', name, '--passwords', 'claves2.csv');
    expect(repeated).toEqual({
      code: 0,
      out: 'Nada que crear. Usuarios nuevos: 0. Ya estaban: 3. Distintos: 0.\n',
      err: '',
    });
    const kept = await admin('import', await file('uno.csv', 'Usuario', 'uno'), '--passwords', 'claves.csv');
    expect(kept).toMatchObject({
      code: 1,
      err: 'El archivo de --passwords ya existe, y no se toca: indique otro\n',
    });
  });

  test('names every wrong line of a dirty file, and creates nothing', async ({ admin, file, folder }) => {
    const name = await file(
      'sucio.csv',
      'Usuario,Cuenta,Permisos,Origen,Prueba,GuiasPorDia',
      'con espacio,,guias.read,,,',
      'bueno,,guias.read guias.borrar,,,',
      'bueno,,,,,',
      'origen1,,,XXX01,,',
      'origen2,,,CUN01,,',
      'origen3,,,PUE01,,',
      'tal,,,,tal vez,mil',
      'una,cuenta,,,no,5',
      'dos,cuenta,,,si,6',
      'tres,,',
      'cuatro,"demo,,,,',
      'cinco,,guias.read colas.admin guias.read.all,,,',
      '=cmd|calc,,,,,',
      'seis,@seis,,,,',
    );
    const { code, out, err } = await admin('import', name, '--passwords', 'sucias.csv');
    expect([code, out]).toEqual([1, '']);
    expect(err.split('\n')).toEqual([
      `${join(folder, name)}: No se creo nada. Errores: 15`,
      '  linea 2, Usuario "con espacio": debe tener de 1 a 64 caracteres visibles, sin espacios',
      expect.stringMatching(
        /^ {2}linea 3, Permisos "guias.read guias.borrar": permiso desconocido; los permisos son: guias.create, /,
      ),
      '  linea 4, Usuario "bueno": repetido, ya esta en la linea 3',
      '  linea 5, Origen "XXX01": no esta entre las sucursales cargadas',
      '  linea 6, Origen "CUN01": la sucursal no esta activa',
      '  linea 7, Origen "PUE01": la sucursal no es origen',
      '  linea 8, Prueba "tal vez": debe ser si o no, o quedar vacio',
      '  linea 8, GuiasPorDia "mil": debe ser un numero entero de 1 a 1000000000, o quedar vacio',
      '  linea 10, Prueba "si": la cuenta cuenta dice otra cosa en una linea anterior',
      '  linea 10, GuiasPorDia "6": la cuenta cuenta dice otra cosa en una linea anterior',
      '  linea 11: tiene 3 columnas, el encabezado 6',
      '  linea 12: comillas mal puestas o sin cerrar',
      '  linea 13, Permisos "guias.read colas.admin guias.read.all": guias.read.all colas.admin alcanza otras cuentas y no se da por archivo: quitelo, y delo despues con grant',
      `  linea 14, Usuario "=cmd|calc": ${FORMULA}`,
      `  linea 15, Cuenta "@seis": ${FORMULA}`,
      '',
    ]);
    await expect(stat(join(folder, 'sucias.csv'))).rejects.toThrow('ENOENT');
    expect((await admin('list', 'bueno')).out).not.toContain('bueno');
  });

  test('names a file that cannot be read, or has a wrong header', async ({ admin, file, folder }) => {
    const importing = async (name: string) => (await admin('import', name, '--dry-run')).err;
    expect(await importing('nada.csv')).toBe(`${join(folder, 'nada.csv')}: No existe\n`);
    expect(await importing('.')).toBe(`${folder}: Es una carpeta: indique un archivo\n`);
    const name = await file('cabeza.csv', 'Usuarios', 'uno');
    expect(await importing(name)).toContain(
      `${join(folder, name)}: Encabezado (linea 1): faltan columnas: Usuario; columnas desconocidas: "Usuarios"`,
    );
  });

  test('never mixes test accounts with others', async ({ admin, file, folder }) => {
    const name = await file('mezcla.csv', 'Usuario,Cuenta,Prueba', 'ajeno,demo,si', 'ajeno2,pruebas,');
    expect((await admin('import', name, '--dry-run')).err).toBe(
      [
        `${join(folder, name)}: No se creo nada. Errores: 2`,
        '  linea 2, Cuenta "demo": la cuenta no es de prueba, y eso no cambia',
        '  linea 3, Cuenta "pruebas": la cuenta es de prueba, y eso no cambia',
        '',
      ].join('\n'),
    );
  });

  test("puts nobody into a canary's account", async ({ admin, file, folder, stores }) => {
    await makeCanaryAccount(stores);
    const name = await file(
      'guardia.csv',
      'Usuario,Cuenta,Prueba',
      'intruso,guardia-cliente,si',
      'intruso2,guardia-cliente,si',
    );
    expect((await admin('import', name, '--dry-run')).err).toBe(
      [
        `${join(folder, name)}: No se creo nada. Errores: 1`,
        '  linea 2, Cuenta "guardia-cliente": la cuenta es del cliente de prueba (canary), y no admite a nadie mas',
        '',
      ].join('\n'),
    );
  });

  test('names accounts whose guides of former users the new ones get', async ({
    admin,
    api,
    file,
    newUser,
    users,
  }) => {
    await newUser('antes', { permissions: ['guias.create'], originBranch: 'MEX01' });
    await (await Client.login(api.url, 'antes', PASSWORD)).created(minimalGuide());
    await users.remove('antes');
    const name = await file('otra-vez.csv', 'Usuario,Cuenta', 'antes,', 'nunca,');
    expect(await admin('import', name, '--dry-run')).toEqual({
      code: 0,
      out: [
        'Prueba, no se creo nada. Usuarios nuevos: 2. Ya estaban: 0. Distintos: 0.',
        'Cuentas que ya existieron, y dan sus guias a los usuarios nuevos: antes',
        '',
      ].join('\n'),
      err: '',
    });
  });

  test('compares limits, and not what becomes of guides without a quote', async ({ admin, file }) => {
    await admin('limits', 'demo', '--guides-per-day', '5', '--cotizar', 'exigir');
    const name = await file('iguales.csv', 'Usuario,Cuenta,GuiasPorDia', 'demo4,demo,5');
    const { out } = await admin('import', name, '--dry-run');
    await admin('limits', 'demo', '--default');
    await admin('limits', 'demo', '--cotizar', 'no');
    expect(out).toContain('Usuarios nuevos: 1. Ya estaban: 0. Distintos: 0.');
  });

  test('tells of users who exist otherwise, and leaves them as they are', async ({ admin, file }) => {
    const name = await file(
      'distintos.csv',
      'Usuario,Cuenta,Permisos,Origen,GuiasPorDia',
      'lectura,,guias.read,MTY01,',
      'demo3,demo,guias.read,,5',
      'sinorigen,tienda,guias.create guias.read,,',
    );
    const { code, out, err } = await admin('import', name, '--dry-run');
    expect([code, err]).toEqual([
      1,
      'Lo distinto no se cambia aqui: use account, grant, revoke, origin o limits\n',
    ]);
    expect(out.split('\n')).toEqual([
      'Prueba, no se creo nada. Usuarios nuevos: 1. Ya estaban: 0. Distintos: 3.',
      '  linea 3, Cuenta "demo": ya existe, con otros limites',
      '  linea 2, Usuario "lectura": ya existe, con otros permisos: guias.quote guias.read; otro origen: MEX01',
      expect.stringMatching(/^ {2}linea 4, Usuario "sinorigen": ya existe, con otra cuenta: sinorigen/),
      '',
    ]);
  });

  test('that is killed leaves no user without a password, and is repeated', async ({
    admin,
    change,
    file,
    operator,
    passwordsIn,
    stores,
    trail,
    users,
  }) => {
    const names = Array.from({ length: 220 }, (_, i) => `cliente${i}`);
    const name = await file('muchos.csv', 'Usuario,Permisos', ...names.map((user) => `${user},guias.read`));
    const cli = [join(repoRoot, 'services/api/cli.ts'), 'import', name, '--passwords', 'muertas.csv'];
    const child = spawn(process.execPath, cli, { env: { ...process.env, ...operator }, stdio: 'ignore' });
    const created = async () => {
      const found = await stores.mongo
        .collection<{ _id: string }>('users')
        .find({ _id: /^cliente/ })
        .toArray();
      return found.map(({ _id }) => _id);
    };
    await expect.poll(async () => (await created()).length, { interval: 10 }).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await once(child, 'exit');

    const survivors = await created();
    expect(survivors.length).toBeLessThan(names.length);
    const passwords = await passwordsIn('muertas.csv');
    expect(survivors.filter((user) => !passwords.has(user))).toEqual([]);
    expect(await trail.find({ user: survivors.at(-1), action: 'admin.create' }, 1)).toHaveLength(1);
    const [first = ''] = survivors;
    expect(await change(first, passwords.get(first))).toBe(200);

    const { out } = await admin('import', name, '--passwords', 'vivas.csv');
    const missing = names.length - survivors.length;
    expect(out).toContain(`Usuarios nuevos: ${missing}. Ya estaban: ${survivors.length}. Distintos: 0.`);
    const later = await passwordsIn('vivas.csv');
    expect(later.size).toBe(missing);
    const last = [...later.keys()].at(-1) ?? '';
    expect(await change(last, later.get(last))).toBe(200);
    expect(await users.find(first)).not.toHaveProperty('oneTimeUntil');
  });
});

test('users whose passwords cannot be written are not created', async ({
  folder,
  operator,
  stores,
  users,
}) => {
  const passwords = await PasswordFile.create(join(folder, 'cerrado.csv'));
  await passwords.close();
  const missing = Array.from({ length: 3 }, (_, i) => ({
    ...{ line: i + 2, username: `sinclave${i}`, account: 'sinclave', permissions: [] },
    ...{ originBranch: null, test: false },
  }));
  const creation = { passwords, operator: { actor: operator.OPERATOR }, from: 'x.csv', onProgress: () => {} };
  const creating = createCustomers(stores.mongo, { missing, limits: new Map() }, creation);
  await expect(creating).rejects.toThrow('file closed');
  expect(await users.findAll(missing.map(({ username }) => username))).toEqual([]);
});

describe('reset', () => {
  test('gives a one-time password, and ends the tokens', async ({
    admin,
    api,
    change,
    newUser,
    trail,
    users,
  }) => {
    await newUser('olvido');
    const client = await Client.login(api.url, 'olvido', PASSWORD);
    const { code, out, err } = await admin('reset', 'olvido');
    expect([code, err]).toEqual([0, '']);
    const [, password] =
      /^Contrasena temporal de olvido, hasta \d{4}-\d\d-\d\d: (\S{19})\nSiguen sus .* revoke olvido\n$/.exec(
        out,
      ) ?? [];
    passTime(IN_FORCE);
    expect((await client.get('/api/auth/validate')).status).toBe(401);
    expect(await change('olvido', PASSWORD)).toBe(401);
    expect(await change('olvido', password)).toBe(200);
    const events = await trail.find({ user: 'olvido', action: 'admin.reset' }, 5);
    expect(events.map(({ actor, outcome }) => [actor, outcome])).toEqual([
      ['ana', 'ok'],
      ['ana', 'started'],
    ]);
    expect(JSON.stringify(events)).not.toContain(password);
    await admin('reset', 'olvido');
    await users.set('olvido', { passwordHash: 'x' });
    expect(await users.find('olvido')).not.toHaveProperty('oneTimeUntil');
  });

  test('writes the password to a new file', async ({ admin, folder, newUser, passwordsIn }) => {
    await newUser('escrito');
    const { out } = await admin('reset', 'escrito', '--passwords', 'reset.csv');
    const [, password] = [...(await passwordsIn('reset.csv'))][0] ?? [];
    expect(out).toMatch(/^Contrasena temporal de escrito, hasta \S+: en /);
    expect(out).toContain(join(folder, 'reset.csv'));
    expect(out).not.toContain(password);
  });
});

describe('list', () => {
  test.for<[string[], string[]]>([
    [
      ['--account', 'lista'],
      ['Lista1', 'lista2', 'lista3'],
    ],
    [['LISTA1'], ['Lista1']],
    [['--account', 'lista', '--permission', 'guias.cancel'], ['lista2']],
    [['lista', '--disabled'], ['lista2']],
    [['--test', 'prueba'], ['prueba']],
  ])('finds by %j', async ([args, expected], { admin, newUser }) => {
    await newUser('Lista1', { account: 'lista' });
    await newUser('lista2', {
      account: 'lista',
      disabled: true,
      permissions: ['guias.read', 'guias.cancel'],
    });
    await newUser('lista3', { account: 'lista', oneTimeUntil: new Date('2026-01-02T03:04:05Z') });
    const { out } = await admin('list', ...args, '--json');
    expect(JSON.parse(out).map(({ username }: { username: string }) => username)).toEqual(expected);
  });

  test('writes CSV that a spreadsheet takes for text', async ({ admin, newUser }) => {
    await newUser('=1+1', {
      account: 'hoja',
      permissions: ['guias.create', 'guias.read'],
      originBranch: 'MEX01',
    });
    await newUser('hoja,2', { account: 'hoja', oneTimeUntil: new Date('2026-01-02T03:04:05Z') });
    expect((await admin('list', '--account', 'hoja', '--csv')).out.split('\n')).toEqual([
      '\uFEFFUsuario,Cuenta,Permisos,Origen,Prueba,Estado,TemporalHasta',
      "'=1+1,hoja,guias.create guias.read,MEX01,no,activo,",
      '"hoja,2",hoja,,,no,vencida,2026-01-02T03:04:05.000Z',
      '',
    ]);
  });
});
