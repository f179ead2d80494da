import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { describe, expect, vi } from 'vitest';
import { run as runCli } from '#services/branches/cli.ts';
import { PostalCodeStore } from '#shared/branches/postal-code-store.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { type CatalogueRow, catalogueFile, catalogueLines } from '#test/fixtures/postal-codes.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

/** `npm run branches -- postal-codes …`: how a download of the national catalogue gets into the database. */

const test = storesTest
  .extend('store', { scope: 'file' }, ({ stores }) => new PostalCodeStore(stores.mongo))
  .extend('run', { scope: 'file' }, ({ stores, folder }) => (...args: string[]) => {
    const env = { MONGODB_URI: stores.mongoUri, INIT_CWD: folder, OPERATOR: 'ana' };
    return runCommand(runCli, ['postal-codes', ...args], { env });
  })
  .extend(
    'importing',
    { scope: 'file' },
    ({ run, folder }) =>
      async (content: readonly CatalogueRow[] | Buffer, ...flags: string[]) => {
        const bytes = Buffer.isBuffer(content) ? content : catalogueFile(content as CatalogueRow[]);
        await writeFile(join(folder, 'CPdescarga.txt'), bytes);
        return run('import', 'CPdescarga.txt', ...flags);
      },
  )
  /** Returns what is in force, by ascending codes. */
  .extend('inForce', { scope: 'file' }, ({ store }) => async () => {
    const newest = await store.newest();
    return newest?.catalogue && [...((await store.read(newest._id))?.values() ?? [])];
  });

test.beforeEach(({ stores }) => stores.mongo.collection('postalCodes').deleteMany({}));

/** A row for each of 32 states, which have codes from 01000 on. */
const NATION: CatalogueRow[] = Array.from({ length: 32 }, (_, i) => ({
  code: `${String(i + 1).padStart(2, '0')}000`,
  colonia: 'Centro',
  state: `Estado ${i + 1}`,
}));

describe('import', () => {
  test('keeps colonias, municipality, city and state of each code', async ({ importing, inForce }) => {
    const rows: CatalogueRow[] = [
      { code: '06600', colonia: 'Ñandú', municipality: 'Peñón', state: 'México', city: 'Güémez' },
      { code: '06600', colonia: 'Árbol Grande', municipality: 'Otro', state: 'México' },
      { code: '06600', colonia: 'Zarza', municipality: 'Peñón', state: 'México', city: 'Güémez' },
      { code: '06600', colonia: 'Zarza', kind: 'Barrio', municipality: 'Peñón', state: 'México' },
      { code: '06600', colonia: 'Ñandú', kind: 'Pueblo', municipality: 'Peñón', state: 'México' },
      { code: '01000', colonia: 'El Rincón' },
    ];
    expect(await importing(rows, '--yes')).toEqual({
      code: 0,
      out: [
        'codigos postales',
        '  alta  01000  Sierra, Peñón, 1: El Rincón',
        '  alta  06600  México, Peñón, Güémez, 3: Árbol Grande; Ñandú; Zarza',
        'Aviso: el catalogo tendria 2 de 32 estados: ¿son todos?',
        'Cargado. Codigos postales: 2, colonias: 4. Altas: 2, cambios: 0, bajas: 0.\n',
      ].join('\n'),
      err: '',
    });
    expect(await inForce()).toEqual([
      {
        ...{ CodigoPostal: '01000', Estado: 'Sierra', Municipio: 'Peñón', Ciudad: '' },
        Colonias: ['El Rincón'],
      },
      {
        ...{ CodigoPostal: '06600', Estado: 'México', Municipio: 'Peñón', Ciudad: 'Güémez' },
        Colonias: ['Árbol Grande', 'Ñandú', 'Zarza'],
      },
    ]);
  });

  test('replaces all, says what changed, and keeps the one before', async ({
    importing,
    inForce,
    stores,
  }) => {
    await importing(NATION);
    const [first, second, ...rest] = NATION as [CatalogueRow, CatalogueRow, ...CatalogueRow[]];
    const next = [{ ...first, colonia: 'Norte' }, { ...second, code: '02001' }, ...rest];
    const changed = 'Codigos postales: 32, colonias: 32. Altas: 1, cambios: 1, bajas: 1.\n';
    const table = [
      'codigos postales',
      '  baja    02000  Estado 2, Peñón, 1: Centro',
      '  cambio  01000  Colonias: 1: Centro -> 1: Norte',
      '  alta    02001  Estado 2, Peñón, 1: Centro',
    ].join('\n');
    expect(await importing(next, '--dry-run')).toEqual({
      code: 0,
      out: `${table}\nPrueba, no se cambio nada. ${changed}Sin --dry-run se guarda\n`,
      err: '',
    });
    expect((await inForce())?.[0]?.Colonias).toEqual(['Centro']);
    expect(await importing(next)).toEqual({ code: 0, out: `${table}\nCargado. ${changed}`, err: '' });
    const codes = (await inForce())?.map(({ CodigoPostal }) => CodigoPostal);
    expect(codes?.slice(0, 3)).toEqual(['01000', '02001', '03000']);
    const documents = () => stores.mongo.collection('postalCodes').countDocuments();
    expect(await documents()).toBe(2);
    await importing(NATION);
    expect(await documents()).toBe(2);
    expect((await importing(NATION)).out).toBe(
      'Sin cambios, sigue la version 3. Codigos postales: 32, colonias: 32. Altas: 0, cambios: 0, bajas: 0.\n',
    );
  });

  test('takes UTF-8 too, with a byte order mark', async ({ importing, inForce }) => {
    const text = `\uFEFF${catalogueLines([...NATION, { code: '99999', colonia: 'Ñandú' }]).join('\n')}`;
    expect(await importing(Buffer.from(text))).toMatchObject({ code: 0 });
    expect((await inForce())?.at(-1)).toMatchObject({ Municipio: 'Peñón', Colonias: ['Ñandú'] });
    const withoutSentence = Buffer.from(`\uFEFF${catalogueLines(NATION).slice(1).join('\n')}`);
    expect(await importing(withoutSentence)).toMatchObject({ code: 0 });
  });

  test('of far less than is in force is refused unless that is meant', async ({ importing, inForce }) => {
    const more = NATION.flatMap((row) => [row, { ...row, code: row.code.replace(/0$/, '1') }]);
    await importing([...more, ...more.map((row) => ({ ...row, colonia: 'Norte' }))]);
    const { code, out, err } = await importing(NATION);
    expect([code, out]).toEqual([1, '']);
    expect(err.split('\n').slice(-3)).toEqual([
      'Aviso: de 64 filas de codigos postales se quitan 32 y cambian 32, mas de una decima parte',
      'No se cambio nada: revise los avisos, y si asi debe ser agregue --yes',
      '',
    ]);
    expect(await inForce()).toHaveLength(64);
    expect(await importing(NATION, '--yes')).toMatchObject({ code: 0 });
    expect(await inForce()).toHaveLength(32);
  });

  test('of two at once, the one that read what was replaced meanwhile is refused', async ({
    store,
    inForce,
  }) => {
    const place = { CodigoPostal: '01000', Estado: 'Sierra', Municipio: 'Peñón', Ciudad: '' };
    await store.replace(0, [{ ...place, Colonias: ['Norte'] }], 'ana');
    const late = store.replace(0, [{ ...place, Colonias: ['Sur'] }], 'luis');
    await expect(late).rejects.toMatchObject({ code: 'catalogue-changed' });
    expect((await inForce())?.[0]?.Colonias).toEqual(['Norte']);
  });
});

describe('a wrong file', () => {
  test('is refused with every bad line, and changes nothing', async ({ folder, importing, inForce }) => {
    await importing(NATION);
    const foreign =
      'tiene caracteres ajenos a ISO-8859-1: descarguelo otra vez, y no lo guarde en otro programa';
    const cases: [string, string][] = [
      ['1000|Centro||Peñón|Sierra||', ', d_codigo "1000": debe tener 5 digitos'],
      ['01000| ||Peñón|Sierra||', ', d_asenta "": debe tener de 1 a 120 caracteres'],
      ['01000|Centro|||Sierra||', ', D_mnpio "": debe tener de 1 a 120 caracteres'],
      ['01000|M\u0082xico||Peñón|Sierra||', `, d_asenta "M\\u{82}xico": ${foreign}`],
      [
        `01000|Centro||Peñón|Sierra|${'x'.repeat(121)}|`,
        `, d_ciudad "${'x'.repeat(40)}...": admite hasta 120 caracteres`,
      ],
      ['01000|Centro', ': tiene 2 columnas, el encabezado 7'],
      ['01000|Norte||Peñón|Sierra||', ': repetida, ya esta en la linea 3'],
    ];
    const header = 'd_codigo|d_asenta|d_tipo_asenta|D_mnpio|d_estado|d_ciudad|d_CP';
    const lines = ['Enunciado', header, '01000|Norte||Peñón|Sierra||', ...cases.map(([line]) => line)];
    expect(await importing(Buffer.from(lines.join('\n'), 'latin1'))).toEqual({
      code: 1,
      out: '',
      err: [
        `${join(folder, 'CPdescarga.txt')}: No se cargo nada. Errores: ${cases.length}`,
        ...cases.map(([, message], i) => `  linea ${i + 4}${message}`),
        '',
      ].join('\n'),
    });
    expect(await inForce()).toHaveLength(NATION.length);
  });

  test.for([
    ['nothing', ''],
    ['a CSV file', 'Codigo,Nombre\nMEX01,Centro'],
    ['a column missing', 'd_codigo|d_asenta|D_mnpio|d_estado\n01000|Centro|Peñón|Sierra'],
  ] as const)('with %s is told by its header', async ([_, content], { importing }) => {
    const { code, err } = await importing(Buffer.from(content));
    expect(code).toBe(1);
    expect(err).toMatch(
      /^\/.+\/CPdescarga\.txt: El archivo no parece CPdescarga.txt: en la linea 1 o 2 falta el encabezado con .*d_ciudad/,
    );
  });

  test('with a header alone has no rows', async ({ folder, importing }) => {
    expect((await importing([])).err).toBe(`${join(folder, 'CPdescarga.txt')}: El archivo no tiene filas\n`);
  });

  test('that cannot be read is named', async ({ folder, run }) => {
    expect((await run('import', 'nada.txt')).err).toBe(`${join(folder, 'nada.txt')}: No existe\n`);
    expect((await run('import', '.')).err).toBe(`${folder}: Es una carpeta: indique un archivo\n`);
  });
});

test('restore brings back the catalogue before, another one undoes it, and a withdrawal leaves none', async ({
  importing,
  inForce,
  run,
  stores,
}) => {
  const nothing = { code: 1, out: '', err: 'No hay un catalogo anterior al que esta en vigor\n' };
  expect(await run('restore')).toEqual(nothing);
  await importing(NATION);
  expect(await run('restore', '--yes')).toEqual(nothing);
  await importing(
    NATION.map((row) => ({ ...row, colonia: 'Norte' })),
    '--yes',
  );
  expect((await run('restore')).err).toMatch(/se quitan 0 y cambian 32.*\nNo se cambio nada/);
  expect((await run('restore', '--dry-run')).out).toMatch(/^Prueba, no se cambio nada\./m);
  for (const colonia of ['Centro', 'Norte', 'Centro']) {
    expect((await run('restore', '--yes')).out).toMatch(
      /^Restaurado\. Codigos postales: 32, colonias: 32, cargado el .{16} UTC por ana\. /m,
    );
    expect((await inForce())?.[0]?.Colonias).toEqual([colonia]);
  }
  const [last] = await stores.mongo
    .collection('audit')
    .find({ action: 'postal-codes.restore', outcome: 'ok' })
    .sort({ at: -1 })
    .limit(1)
    .toArray();
  expect(last).toMatchObject({ actor: 'ana', details: { codes: 32, changed: 32, version: 5, restored: 3 } });
  await run('withdraw');
  expect(await run('restore', '--yes')).toEqual(nothing);
  await importing(NATION);
  expect(await run('restore', '--yes')).toEqual(nothing);
});

test.for([
  ['insertOne', 'Centro', 'nothing to restore'],
  ['deleteMany', 'Norte', 'the one before to restore'],
] as const)(
  'a load that died before %s leaves %s in force, and %s',
  async ([write, colonia], { importing, inForce, run }) => {
    await importing(NATION);
    const killed = vi.spyOn(mongo.Collection.prototype, write).mockRejectedValue(new Error('killed'));
    await importing(
      NATION.map((row) => ({ ...row, colonia: 'Norte' })),
      '--yes',
    );
    killed.mockRestore();
    expect((await inForce())?.[0]?.Colonias).toEqual([colonia]);
    expect((await run('restore', '--yes')).code).toBe(write === 'insertOne' ? 1 : 0);
    expect((await inForce())?.[0]?.Colonias).toEqual(['Centro']);
  },
);

test('status says what is in force, and withdraw removes it', async ({ importing, run, stores }) => {
  const nothing = 'No hay un catalogo de codigos postales';
  expect((await run('status')).out).toBe(`${nothing}\n`);
  expect((await run('withdraw')).out).toBe(`${nothing}\n`);
  await importing(NATION);
  expect((await run('status')).out).toMatch(
    /^Codigos postales: 32, colonias: 32\. Cargado el \d{4}-\d\d-\d\d \d\d:\d\d UTC por ana\n$/,
  );
  expect((await run('withdraw')).out).toBe('Catalogo retirado\n');
  expect((await run('status')).out).toMatch(
    new RegExp(`^${nothing}: se retiro el [-\\d]+ [\\d:]+ UTC por ana\\n$`),
  );
  expect((await run('withdraw')).out).toBe('El catalogo ya estaba retirado\n');
  const documents = await stores.mongo.collection('postalCodes').find().toArray();
  expect(documents).toEqual([expect.not.objectContaining({ catalogue: expect.anything() })]);
  const actions = stores.mongo.collection('audit').distinct('action');
  expect(await actions).toEqual(
    ['import', 'restore', 'status', 'withdraw'].map((command) => `postal-codes.${command}`),
  );
});
