import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { printingTest } from '#test/fixtures/services.ts';
import { type Ended, type Fate, runGuias, startProxy } from './guias-command.ts';

const HEADER =
  'Referencia,Remitente.Nombre,Destinatario.Nombre,Destinatario.CodigoPostal,Producto.Contenido,Producto.Paquetes';

const test = printingTest
  /** Runs `guias` in a new folder's place of this file's folder. */
  .extend(
    'guias',
    { scope: 'file' },
    ({ api, folder }) =>
      (...args: string[]): Promise<Ended> =>
        runGuias(args, { folder, url: api.url }),
  )
  /** Writes a file of orders; of each the reference and, where it differs, the rest of the line. */
  .extend('write', { scope: 'file' }, ({ folder }) => async (name: string, lines: readonly string[]) => {
    await writeFile(join(folder, name), [HEADER, ...lines].join('\n'));
  })
  /** How many guides there are with a reference. */
  .extend(
    'count',
    { scope: 'file' },
    ({ stores }) =>
      (reference: string) =>
        stores.mongo.collection('guides').countDocuments({ 'guide.Referencia': reference }),
  );

const order = (reference: string, packages = '') => `${reference},Tienda,Luis Peña,06600,Libros,${packages}`;
const references = (count: number) => Array.from({ length: count }, () => `P-${randomUUID()}`);

/** Reads the numbers from a file of results, in its order. */
async function numbersIn(folder: string, name: string): Promise<string[]> {
  const [, ...rows] = (await readFile(join(folder, name), 'utf8')).trim().split('\n');
  return rows.map((row) => row.split(',')[2] ?? '');
}

describe('guias enviar', () => {
  test('creates the guides of a file and prints their labels in its order', async ({
    guias,
    write,
    folder,
  }) => {
    const [one = '', two = '', three = ''] = references(3);
    await write('pedidos.csv', [order(one), order(two, '2'), order(three)]);
    const { code, out, err } = await guias(
      'enviar',
      'pedidos.csv',
      '--imprimir',
      'etiquetas.pdf',
      '--tipo',
      'pequena',
    );
    expect(err).toBe('');
    expect(out).toBe(
      `Pedidos correctos: 3\nGuias creadas: 3. Ya existian: 0. Numeros: ${join(folder, 'pedidos.guias.csv')}\n` +
        `Etiquetas: ${join(folder, 'etiquetas.pdf')}\n`,
    );
    expect(code).toBe(0);
    const [a, b, c] = await numbersIn(folder, 'pedidos.guias.csv');
    const pages = await readLabel(await readFile(join(folder, 'etiquetas.pdf')));
    expect(pages.flatMap(({ code128 }) => code128)).toEqual([`${a}-01`, `${b}-01`, `${b}-02`, `${c}-01`]);
  });

  test('gives an order that has a guide no other, however often it is sent', async ({
    guias,
    write,
    folder,
    count,
  }) => {
    const [one = '', two = '', three = ''] = references(3);
    await write('otra-vez.csv', [order(one), order(two)]);
    await guias('enviar', 'otra-vez.csv');
    const before = await numbersIn(folder, 'otra-vez.guias.csv');
    await write('otra-vez.csv', [order(three), order(one), order(two)]);
    const { out } = await guias('enviar', 'otra-vez.csv');
    expect(out).toContain('Guias creadas: 1. Ya existian: 2.');
    expect((await numbersIn(folder, 'otra-vez.guias.csv')).slice(1)).toEqual(before);
    expect(await Promise.all([one, two, three].map(count))).toEqual([1, 1, 1]);
  });

  test('creates nothing where a line is wrong, and names it as the file does', async ({
    guias,
    write,
    folder,
    count,
  }) => {
    const [one = '', two = '', three = ''] = references(3);
    await write('mal.csv', [
      order(one),
      `${two},Tienda,Luis,99999,Libros,`,
      `${three},Tienda,Luis,06600,Libros,muchos`,
    ]);
    const { code, out, err } = await guias('enviar', 'mal.csv');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('No se creo ninguna guia. Corrija el archivo y repita la misma orden.');
    expect(err).toContain("  linea 4, Producto.Paquetes: El campo 'Producto.Paquetes' debe ser un numero");
    expect(await count(one)).toBe(0);
    expect(existsSync(join(folder, 'mal.guias.csv'))).toBe(false);
    await write('mal.csv', [order(one), `${two},Tienda,Luis,99999,Libros,`]);
    expect((await guias('enviar', 'mal.csv')).err).toContain(
      '  linea 3, Destinatario.CodigoPostal: No hay cobertura para el código postal: 99999',
    );
  });

  test('creates nothing where it is only to check', async ({ guias, write, count }) => {
    const [one = ''] = references(1);
    await write('revisar.csv', [order(one)]);
    expect(await guias('enviar', 'revisar.csv', '--solo-revisar')).toEqual({
      code: 0,
      out: 'Pedidos correctos: 1\n',
      err: '',
    });
    expect(await count(one)).toBe(0);
  });

  test('says which texts the labels will not show whole, by the lines of the file', async ({
    guias,
    write,
  }) => {
    const [one = '', two = ''] = references(2);
    await write('letras.csv', [order(one), `${two},Tienda,王小明,06600,Libros 📚,`]);
    expect(await guias('enviar', 'letras.csv', '--solo-revisar')).toEqual({
      code: 0,
      out:
        'Pedidos correctos: 2\nAdvertencias: 2\n' +
        "  linea 3, Destinatario.Nombre: El campo 'Destinatario.Nombre' se imprime con • en vez de: 王 小 明\n" +
        "  linea 3, Producto.Contenido: El campo 'Producto.Contenido' se imprime con • en vez de: 📚\n",
      err: '',
    });
  });

  test('sends more orders than one request may have', async ({ guias, write, folder }) => {
    const many = references(501);
    await write(
      'muchos.csv',
      many.map((reference) => order(reference)),
    );
    expect((await guias('enviar', 'muchos.csv')).out).toContain('Guias creadas: 501. Ya existian: 0.');
    expect(new Set(await numbersIn(folder, 'muchos.guias.csv')).size).toBe(501);
  });

  test('reads what a spreadsheet writes: Latin-1 and semicolons', async ({ guias, folder, stores }) => {
    const [one = ''] = references(1);
    const text = [HEADER, order(one)].join('\r\n').replaceAll(',', ';');
    await writeFile(join(folder, 'hoja.csv'), Buffer.from(text, 'latin1'));
    expect((await guias('enviar', 'hoja.csv')).code).toBe(0);
    const guide = await stores.mongo.collection('guides').findOne({ 'guide.Referencia': one });
    expect(guide?.guide.Destinatario.Nombre).toBe('Luis Peña');
  });
});

describe('an order', () => {
  test.for([
    ['without a reference', [order('')], '  linea 2, Referencia: falta: por ella se reconoce el pedido'],
    [
      'with the reference of another',
      [order('A'), order('B'), order('A')],
      '  linea 4, Referencia "A": repetida, ya esta en la linea 2',
    ],
  ] as const)('%s is refused', async ([, lines, message], { guias, write }) => {
    await write('sin.csv', lines);
    const { code, err } = await guias('enviar', 'sin.csv');
    expect(code).toBe(1);
    expect(err).toContain(message);
  });

  test('in a file with a column that no guide has is refused', async ({ guias, folder }) => {
    await writeFile(join(folder, 'columna.csv'), 'Referencia,Remitente.Nombre,Color\nA,Ana,rojo\n');
    const { code, err } = await guias('enviar', 'columna.csv');
    expect(code).toBe(1);
    expect(err).toContain('columnas desconocidas: "Color"');
    expect(err).toContain('faltan columnas: Destinatario.Nombre, Producto.Contenido');
  });
});

describe('where the way to the service is bad', () => {
  /** Sends one order over a proxy. @param fates of the requests for a path, the first in front; afterwards they are served. */
  const send = async (api: string, folder: string, fates: Record<string, Fate[]>, lines: string[]) => {
    const proxy = await startProxy(api, (path) => fates[path]?.shift() ?? 'served');
    try {
      await writeFile(join(folder, 'camino.csv'), [HEADER, ...lines].join('\n'));
      return await runGuias(['enviar', 'camino.csv'], { folder, url: proxy.url });
    } finally {
      await proxy.close();
    }
  };
  const away: Fate = {
    status: 503,
    headers: { 'retry-after': '1' },
    body: { message: 'Servicio no disponible' },
  };
  const expired: Fate = { status: 401, body: { message: 'Token expirado', codigo: 'token_expirado' } };

  test('a creation whose answer is lost is one creation', async ({ api, folder, count }) => {
    const [one = ''] = references(1);
    const { code, out } = await send(api.url, folder, { '/api/guias/crear': ['lost'] }, [order(one)]);
    expect([code, out]).toEqual([0, expect.stringContaining('Guias creadas: 1.')]);
    expect(await count(one)).toBe(1);
  });

  test('it waits as the service asks, and logs in again', async ({ api, folder }) => {
    const [one = ''] = references(1);
    const fates = { '/api/guias/crear': [away, expired], '/api/guias/validar': [expired] };
    expect(await send(api.url, folder, fates, [order(one)])).toMatchObject({ code: 0 });
  });

  test('what was created is in the file of results, and what was not comes with the next call', async ({
    api,
    folder,
    count,
  }) => {
    const orders = references(501);
    const lines = orders.map((reference) => order(reference));
    const refused: Fate = { status: 403, body: { message: 'Sin permiso' } };
    const first = await send(api.url, folder, { '/api/guias/crear': ['served', refused] }, lines);
    expect(first).toMatchObject({ code: 1, err: expect.stringMatching(/^Sin permiso$/m) });
    expect(first.out).toContain('Guias creadas: 500. Ya existian: 0.');
    expect((await send(api.url, folder, {}, lines)).out).toContain('Guias creadas: 1. Ya existian: 500.');
    expect(await count(orders[0] ?? '')).toBe(1);
  });

  test('nobody there is said in a sentence', async ({ folder, write }) => {
    await write('nadie.csv', [order('A')]);
    const { code, err } = await runGuias(['enviar', 'nadie.csv'], { folder, url: 'http://127.0.0.1:1' });
    expect([code, err.trim().split('\n').at(-1)]).toEqual([
      1,
      'El servicio no responde. Repita la misma orden mas tarde',
    ]);
  });
});

describe('the command', () => {
  test('writes a file that it accepts itself', async ({ guias, folder }) => {
    const { out } = await guias('plantilla');
    await writeFile(join(folder, 'plantilla.csv'), out);
    expect(await guias('enviar', 'plantilla.csv', '--solo-revisar')).toMatchObject({ code: 0 });
  });

  test('says what is wrong with a password, a file, an option', async ({ guias, write, folder, api }) => {
    await write('a.csv', [order('A')]);
    const wrong = await runGuias(['enviar', 'a.csv'], { folder, url: api.url, password: 'no' });
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringContaining('Usuario o contrasena incorrectos'),
    });
    expect(await guias('enviar', 'no-hay.csv')).toMatchObject({
      code: 1,
      err: `No se puede leer o escribir ${join(folder, 'no-hay.csv')} (ENOENT)\n`,
    });
    expect(await guias('enviar', 'a.csv', '--tipo', 'rollo')).toMatchObject({ code: 2 });
    expect(await guias('enviar')).toEqual({
      code: 2,
      out: '',
      err: 'Falta un argumento. Vea guias --help\n',
    });
    const { code, out } = await guias('enviar', '--help');
    expect([code, out]).toEqual([0, expect.stringContaining('Destinatario.CodigoPostal')]);
  });
});
