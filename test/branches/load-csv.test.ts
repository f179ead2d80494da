import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { mongo } from 'mongoose';
import { describe, expect, vi } from 'vitest';
import { run as runCli } from '#services/branches/cli.ts';
import type { Branch, ResolveResponse } from '#shared/branches/branch.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { formatCsv, LineReport, readGuardedRows } from '#shared/commands/csv.ts';
import { call } from '#test/fixtures/client.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { INTERNAL_TOKEN, test as services } from '#test/fixtures/services.ts';

const BRANCHES_HEADER =
  'Codigo,Nombre,Estado,Municipio,Colonia,Calle,Numero,CodigoPostal,Telefono,Origen,Destino,Activa';
const COVERAGE_HEADER = 'CodigoPostal,Sucursal';
/** Generous: a load is visible within a second on an idle machine. */
const VISIBLE = { timeout: 30_000, interval: 50 };
const NORTH = 'NTE01,Norte,Nuevo Leon,Monterrey,Centro,Av. Juarez,800,64000,8150000101,si,si,si';
const SOUTH = 'SUR01,Sur,Oaxaca,Oaxaca,Centro,Calle 5,1,68000,,si,si,si';

/** What a load says that takes away or changes more than a tenth of the rows of a name. */
function warning(all: number, name: string, removed: number, changed = 0): string {
  return `Aviso: de ${all} filas de ${name} se quitan ${removed} y cambian ${changed}, mas de una decima parte`;
}
function loss(all: number, name: string, removed: number, which: string): string {
  return `Se quitan ${removed} de ${all} ${name}: ${which}`;
}
const COVERED = 'codigos postales con cobertura';
const LOST_BRANCHES = ['sucursales de origen', 'sucursales de destino'];
/** What a load says that lacks the southern branch, and `lost` postal codes with it. */
function lostSouth(...lost: string[]): string {
  return [
    'sucursales',
    '  baja  SUR01  Sur, Oaxaca, Oaxaca, Centro, Calle 5, 1, 68000, si, si, si',
    ...LOST_BRANCHES.map((name) => loss(2, name, 1, 'SUR01')),
    ...lost.map((code) => loss(2, COVERED, 1, code)),
    ...['sucursales', ...LOST_BRANCHES, ...lost.map(() => COVERED)].map((name) => warning(2, name, 1)),
  ].join('\n');
}

/** The words that name a dataset on the command line. */
const WORDS = { branches: [], coverage: ['coverage'] };
type Name = keyof typeof WORDS;
const test = services
  .extend('store', { scope: 'file' }, ({ stores }) => new BranchStore(stores.mongo))
  .extend('running', { scope: 'file' }, ({ startBranches }) =>
    Promise.all([startBranches(), startBranches()]),
  )
  /** Runs `npm run branches -- …`, as npm does: with the folder where it was called. */
  .extend('run', { scope: 'file' }, ({ stores, folder }) => (name: Name, args: string[]) => {
    const env = { MONGODB_URI: stores.mongoUri, INIT_CWD: folder };
    return runCommand(runCli, [...WORDS[name], ...args], { env });
  })
  /** The same, at a terminal at which a person types. */
  .extend(
    'runAtTerminal',
    { scope: 'file' },
    ({ stores, folder }) =>
      (name: Name, args: string[], input: string | (() => Promise<string>)) => {
        const env = { MONGODB_URI: stores.mongoUri, INIT_CWD: folder };
        return runCommand(runCli, [...WORDS[name], ...args], { env, input, isTerminal: true });
      },
  )
  .extend(
    'importing',
    { scope: 'file' },
    ({ run, folder }) =>
      async (name: Name, content: string[] | string | Buffer, ...flags: string[]) => {
        await writeFile(join(folder, 'in.csv'), Array.isArray(content) ? content.join('\n') : content);
        return run(name, ['import', 'in.csv', ...flags]);
      },
  )
  /** The branches' answers for these postal codes, of each service. */
  .extend('resolve', { scope: 'file' }, ({ running }) => (postalCodes: string[]) => {
    return Promise.all(
      running.map(async ({ url }) => {
        const destinations = postalCodes.map((postalCode) => ({ postalCode }));
        const { body } = await call(`${url}/internal/resolve`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-internal-token': INTERNAL_TOKEN },
          body: JSON.stringify({ origins: [], destinations }),
        });
        return (body as unknown as ResolveResponse).destinations.map((branch) => branch?.Codigo);
      }),
    );
  });

test.beforeEach(async ({ store }) => {
  await store.loadBranches([branchOf(NORTH), branchOf(SOUTH)]);
  await store.loadCoverage([
    { postalCode: '64000', code: 'NTE01' },
    { postalCode: '68000', code: 'SUR01' },
  ]);
});

function codesFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(first + index));
}

/** The southern branch's line with other values. */
function south(change: Partial<Record<keyof Branch, string>>): string {
  const names = BRANCHES_HEADER.split(',') as (keyof Branch)[];
  return names.map((name, index) => change[name] ?? SOUTH.split(',')[index]).join(',');
}

function branchOf(line: string): Branch {
  const cells = line.split(',').map((cell) => (cell === 'si' ? true : cell));
  return Object.fromEntries(BRANCHES_HEADER.split(',').map((name, index) => [name, cells[index]])) as never;
}

describe('import', () => {
  test('replaces the data in every running service', async ({ importing, resolve, store }) => {
    const east =
      'ote01,Oriente,Puebla,Puebla,"Centro, ""La Paz""",Av. Reforma,320,72000,2250000101,NO,Sí,true';
    const lines = [BRANCHES_HEADER, NORTH.replace('800', '801'), east];
    expect(await importing('branches', lines, '--yes')).toEqual({
      code: 0,
      out: [
        'sucursales',
        '  baja    SUR01  Sur, Oaxaca, Oaxaca, Centro, Calle 5, 1, 68000, si, si, si',
        '  cambio  NTE01  Numero: 800 -> 801',
        '  alta    OTE01  Oriente, Puebla, Puebla, Centro, "La Paz", Av. Reforma, 320,...',
        ...LOST_BRANCHES.map((name) => loss(2, name, 1, 'SUR01')),
        loss(2, COVERED, 1, '68000'),
        warning(2, 'sucursales', 1, 1),
        ...[...LOST_BRANCHES, COVERED].map((name) => warning(2, name, 1)),
        'Cargado. Filas: 2. Altas: 1, cambios: 1, bajas: 1.\n',
      ].join('\n'),
      err: '',
    });
    expect(await importing('coverage', [COVERAGE_HEADER, '64000,ote01', '72000, OTE01 '], '--yes')).toEqual({
      code: 0,
      out: [
        'cobertura',
        '  baja    68000  SUR01',
        '  cambio  64000  Sucursal: NTE01 -> OTE01',
        '  alta    72000  OTE01',
        warning(2, 'cobertura', 1, 1),
        warning(1, COVERED, 0, 1),
        'Cargado. Filas: 2. Altas: 1, cambios: 1, bajas: 1.\n',
      ].join('\n'),
      err: '',
    });
    await vi.waitFor(async () => {
      for (const answer of await resolve(['64000', '72000', '68000'])) {
        expect(answer).toEqual(['OTE01', 'OTE01', undefined]);
      }
    }, VISIBLE);
    const { branches } = await store.snapshot();
    expect(branches.find(({ Codigo }) => Codigo === 'OTE01')).toEqual({
      ...{ Codigo: 'OTE01', Nombre: 'Oriente', Estado: 'Puebla', Municipio: 'Puebla' },
      ...{ Colonia: 'Centro, "La Paz"', Calle: 'Av. Reforma', Numero: '320', CodigoPostal: '72000' },
      ...{ Telefono: '2250000101', Origen: false, Destino: true, Activa: true },
    });
  });

  test('of branches may say when they are open, and an export has it', async ({ importing, run, store }) => {
    const [header, line] = [`${BRANCHES_HEADER},Horario`, `${NORTH},Lunes a viernes de 9 a 18`];
    expect(await importing('branches', [header, line, `${SOUTH},`], '--yes')).toMatchObject({ code: 0 });
    const { branches } = await store.snapshot();
    expect(branches.map(({ Codigo, Horario }) => [Codigo, Horario])).toEqual([
      ['NTE01', 'Lunes a viernes de 9 a 18'],
      ['SUR01', undefined],
    ]);
    expect((await run('branches', ['export'])).out).toContain(',8150000101,Lunes a viernes de 9 a 18,,si');
  });

  test('of branches may say their time zone, which must be one', async ({ importing, run, store }) => {
    const header = `${BRANCHES_HEADER},Zona`;
    const zoned = (zone: string) => importing('branches', [header, `${NORTH},${zone}`, `${SOUTH},`], '--yes');
    expect(await zoned('America/Tijuana')).toMatchObject({ code: 0 });
    const { branches } = await store.snapshot();
    expect(branches.map(({ Codigo, Zona }) => [Codigo, Zona])).toEqual([
      ['NTE01', 'America/Tijuana'],
      ['SUR01', undefined],
    ]);
    expect((await run('branches', ['export'])).out).toContain(',8150000101,,America/Tijuana,si');
    for (const wrong of ['Tijuana', '-08:00']) {
      expect((await zoned(wrong)).err).toContain('debe ser una zona horaria como America/Tijuana');
    }
  });

  test('of branches may say how much they collect, and an export has it', async ({
    importing,
    run,
    store,
  }) => {
    const header = `${BRANCHES_HEADER},CobraHasta`;
    const load = (cell: string) => importing('branches', [header, `${NORTH},${cell}`, `${SOUTH},`], '--yes');
    for (const cell of ['0', '50000.01', '1.005', '-1', '$5', 'mucho'])
      expect((await load(cell)).err).toContain(
        `CobraHasta "${cell}": debe ser un importe en pesos mayor que 0`,
      );
    expect(await load('4999.5')).toMatchObject({ code: 0 });
    const { branches } = await store.snapshot();
    expect(branches.map(({ Codigo, CobraHasta }) => [Codigo, CobraHasta])).toEqual([
      ['NTE01', 4_999.5],
      ['SUR01', undefined],
    ]);
    expect((await run('branches', ['export'])).out).toMatch(/^NTE01,.*,4999\.5$/m);
  });

  test('of coverage may say the route of a postal code, and an export has it', async ({
    importing,
    run,
    store,
  }) => {
    const header = `${COVERAGE_HEADER},Ruta`;
    const rows = ['64000,NTE01, r-12 ', '64001,NTE01,', '68000,SUR01,-'];
    const loaded = await importing('coverage', [header, ...rows], '--yes');
    expect(loaded.out).toMatch(/^Cargado\. Filas: 3\. Altas: 1, cambios: 2, bajas: 0\.$/m);
    expect(loaded.out).toContain('\n  cambio  64000  Ruta: (vacio) -> R-12\n');
    const { coverage } = await store.snapshot();
    expect(coverage.sort((one, other) => (one.postalCode < other.postalCode ? -1 : 1))).toEqual([
      { postalCode: '64000', code: 'NTE01', route: 'R-12' },
      { postalCode: '64001', code: 'NTE01' },
      { postalCode: '68000', code: 'SUR01', route: '-' },
    ]);
    expect((await run('coverage', ['export'])).out).toBe(
      `\uFEFF${header}\n64000,NTE01,R-12\n64001,NTE01,\n68000,SUR01,'-\n`,
    );
    const { out } = await importing('coverage', [COVERAGE_HEADER, '64000,NTE01'], '--dry-run');
    expect(out).toContain('Altas: 0, cambios: 1, bajas: 2');
  });

  test.for([
    ['a byte order mark', `\uFEFF${COVERAGE_HEADER}\n01000,NTE01\n20000,SUR01\n`],
    ['another order of columns', 'Sucursal,CodigoPostal\nNTE01,01000\nSUR01,20000'],
    ['blanks and empty rows', ' CodigoPostal , Sucursal\n 01000,NTE01 \n\n,\n20000,SUR01\n\n'],
  ] as const)('takes a file with %s', async ([_, content], { importing, store }) => {
    expect(await importing('coverage', content, '--yes')).toMatchObject({ code: 0, err: '' });
    const { coverage } = await store.snapshot();
    expect(coverage.sort((one, other) => (one.postalCode < other.postalCode ? -1 : 1))).toEqual([
      { postalCode: '01000', code: 'NTE01' },
      { postalCode: '20000', code: 'SUR01' },
    ]);
  });

  test('with --dry-run reports what would change, and changes nothing', async ({ importing, store }) => {
    const before = await store.snapshot();
    expect(await importing('branches', [BRANCHES_HEADER, NORTH], '--dry-run')).toEqual({
      code: 0,
      out: `${lostSouth('68000')}\nPrueba, no se cambio nada. Filas: 1. Altas: 0, cambios: 0, bajas: 1.\nSin --dry-run pregunta, o pide --yes\n`,
      err: '',
    });
    const [same, few] = [
      [COVERAGE_HEADER, '64000,NTE01', '68000,SUR01'],
      [COVERAGE_HEADER, '64000,NTE01'],
    ];
    const dry = async (rows: string[], ...more: string[]) =>
      (await importing('coverage', rows, '--dry-run', ...more)).out.split('\n').at(-2);
    const { version } = before;
    expect(await dry(same)).toBe(`Sin --dry-run tampoco: sigue la version ${version}`);
    expect(await dry(few, '--yes')).toBe('Sin --dry-run se guarda');
    expect(await store.snapshot()).toEqual(before);
  });

  test('loads 32 000 postal codes into every running service', async ({
    importing,
    resolve,
    run,
    stores,
  }) => {
    const codes = codesFrom(10_000, 32_000);
    const rows = codes.map((postalCode) => `${postalCode},NTE01`);
    const { code, out } = await importing('coverage', [COVERAGE_HEADER, ...rows], '--yes');
    expect([code, out.split('\n').slice(-7)]).toEqual([
      0,
      [
        '  alta  10004  NTE01',
        '               y 31995 altas mas',
        'Se quitan 2 de 2 codigos postales con cobertura: 64000, 68000',
        warning(2, 'cobertura', 2),
        warning(2, COVERED, 2),
        'Cargado. Filas: 32000. Altas: 32000, cambios: 0, bajas: 2.',
        '',
      ],
    ]);
    await vi.waitFor(async () => {
      for (const answer of await resolve(['10000', '41999', '42000', '68000'])) {
        expect(answer).toEqual(['NTE01', 'NTE01', undefined, undefined]);
      }
    }, VISIBLE);
    // Of what was loaded before, only the last load stays.
    expect(await stores.mongo.collection('coverage').countDocuments()).toBe(32_002);
    expect((await run('coverage', ['restore', '--yes'])).out).toMatch(
      /Altas: 2, cambios: 0, bajas: 32000\.$/m,
    );
    expect((await run('coverage', ['restore', '--yes'])).out).toMatch(
      /Altas: 32000, cambios: 0, bajas: 2\.$/m,
    );
    expect(await stores.mongo.collection('coverage').countDocuments()).toBe(32_002);
  });
});

describe('a load that takes away more than a tenth', () => {
  const refused = 'No se cambio nada: revise los avisos, y si asi debe ser agregue --yes\n';
  const TEN = codesFrom(64_000, 10);
  const LOST_TWO = [
    ...['cobertura', '  baja  64000  NTE01', '  baja  64001  NTE01'],
    loss(10, COVERED, 2, '64000, 64001'),
    ...['cobertura', COVERED].map((name) => warning(10, name, 2)),
  ].join('\n');
  const rowsOf = (codes: readonly string[]) => [COVERAGE_HEADER, ...codes.map((code) => `${code},NTE01`)];

  test.beforeEach(({ store }) =>
    store.loadCoverage(TEN.map((postalCode) => ({ postalCode, code: 'NTE01' }))),
  );

  test('of the branches, or of those in use, is refused, and changes nothing', async ({
    importing,
    store,
  }) => {
    const before = await store.snapshot();
    const { code, out, err } = await importing('branches', [BRANCHES_HEADER, NORTH]);
    expect([code, out, err]).toEqual([1, '', `${lostSouth()}\n${refused}`]);
    const closed = await importing('branches', [BRANCHES_HEADER, NORTH.replace(/si$/, 'no'), SOUTH]);
    expect([closed.code, closed.err]).toEqual([
      1,
      [
        'sucursales',
        '  cambio  NTE01  Activa: si -> no',
        ...LOST_BRANCHES.map((name) => loss(2, name, 1, 'NTE01')),
        loss(10, COVERED, 10, '64000, 64001, 64002, 64003, 64004 y 5 mas'),
        warning(2, 'sucursales', 0, 1),
        ...LOST_BRANCHES.map((name) => warning(2, name, 1)),
        warning(10, COVERED, 10),
        refused,
      ].join('\n'),
    ]);
    expect(await store.snapshot()).toEqual(before);
  });

  test('of the coverage is refused, and one that takes a tenth is not', async ({ importing, store }) => {
    const before = await store.snapshot();
    expect(await importing('coverage', rowsOf(TEN.slice(2)))).toEqual({
      code: 1,
      out: '',
      err: `${LOST_TWO}\n${refused}`,
    });
    const moved = rowsOf(TEN).map((row, i) => (i === 1 || i === 2 ? row.replace('NTE', 'SUR') : row));
    expect((await importing('coverage', moved)).err).toBe(
      [
        'cobertura',
        '  cambio  64000  Sucursal: NTE01 -> SUR01',
        '  cambio  64001  Sucursal: NTE01 -> SUR01',
        ...['cobertura', COVERED].map((name) => warning(10, name, 0, 2)),
        refused,
      ].join('\n'),
    );
    expect(await store.snapshot()).toEqual(before);
    expect(await importing('coverage', rowsOf(TEN.slice(1)))).toEqual({
      code: 0,
      out: 'cobertura\n  baja  64000  NTE01\nSe quitan 1 de 10 codigos postales con cobertura: 64000\nCargado. Filas: 9. Altas: 0, cambios: 0, bajas: 1.\n',
      err: '',
    });
    expect(await importing('coverage', rowsOf([]).concat('64009,NTE01'), '--yes')).toMatchObject({ code: 0 });
    expect((await store.snapshot()).coverage).toHaveLength(1);
  });

  test('is what a person at a terminal is asked for', async ({ folder, runAtTerminal, store }) => {
    await writeFile(join(folder, 'in.csv'), rowsOf(TEN.slice(2)).join('\n'));
    const load = (answer: string) => runAtTerminal('coverage', ['import', 'in.csv'], answer);
    const question = `${LOST_TWO}\n¿Seguir con estos avisos? Escriba SI para seguir: `;
    for (const answer of ['no\n', '']) {
      expect(await load(answer)).toEqual({
        code: 1,
        out: '',
        err: `${question}Cancelado: no se cambio nada\n`,
      });
    }
    expect((await store.snapshot()).coverage).toHaveLength(10);
    expect(await load('si\n')).toEqual({
      code: 0,
      out: 'Cargado. Filas: 8. Altas: 0, cambios: 0, bajas: 2.\n',
      err: question,
    });
    expect((await store.snapshot()).coverage).toHaveLength(8);
  });

  test('is not stored over a load that ended while the person thought', async ({
    folder,
    importing,
    runAtTerminal,
    store,
  }) => {
    await writeFile(join(folder, 'asked.csv'), rowsOf(TEN.slice(2)).join('\n'));
    for (const other of [
      () => store.loadCoverage(TEN.slice(1).map((postalCode) => ({ postalCode, code: 'NTE01' }))),
      () => store.loadBranches([branchOf(NORTH), branchOf(SOUTH)]),
    ]) {
      const { code, err } = await runAtTerminal('coverage', ['import', 'asked.csv'], async () => {
        await other();
        return 'SI\n';
      });
      const refused =
        'Alguien cargo sucursales o cobertura mientras tanto: no se hizo nada, repita el comando';
      expect([code, err.split('SI para seguir: ')[1]]).toEqual([1, `${refused}\n`]);
      expect((await store.snapshot()).coverage).toHaveLength(9);
    }
    expect(await importing('coverage', rowsOf(TEN.slice(2)), '--yes')).toMatchObject({ code: 0 });
  });
});

describe('a load that changes nothing', () => {
  test('stores nothing', async ({ importing, store }) => {
    const version = await store.version();
    expect(await importing('branches', [BRANCHES_HEADER, NORTH, SOUTH])).toEqual({
      code: 0,
      out: `Sin cambios, sigue la version ${version}. Filas: 2. Altas: 0, cambios: 0, bajas: 0.\n`,
      err: '',
    });
    expect(await store.version()).toBe(version);
  });

  test('counts the rows again where some were lost, or never counted', async ({
    importing,
    store,
    stores,
  }) => {
    const rows = stores.mongo.collection('coverage');
    const generation = Number((await store.version()).split('.')[1]);
    await rows.deleteOne({ generation, postalCode: '68000' });
    expect((await store.directory()).coverage).toMatchObject({ found: 1, rows: 2 });
    const left = [COVERAGE_HEADER, '64000,NTE01'];
    expect((await importing('coverage', left)).out).toBe(
      'Cargado. Filas: 1. Altas: 0, cambios: 0, bajas: 0.\n',
    );
    expect((await store.directory()).coverage).toMatchObject({ found: 1, rows: 1 });

    const generations = stores.mongo.collection<{ _id: string }>('generations');
    await generations.updateOne({ _id: 'current' }, { $unset: { coverageLoad: 1 } });
    expect((await importing('coverage', left)).out).toMatch(/^Cargado/);
    expect((await store.directory()).coverage).toMatchObject({ found: 1, rows: 1 });
  });

  test('and one over lost rows brings them back without a question', async ({ importing, store, stores }) => {
    const generation = Number((await store.version()).split('.')[1]);
    await stores.mongo.collection('coverage').deleteMany({ generation });
    const whole = [COVERAGE_HEADER, '64000,NTE01', '68000,SUR01'];
    expect(await importing('coverage', whole)).toMatchObject({ code: 0, err: '' });
    expect((await store.directory()).coverage).toMatchObject({ found: 2, rows: 2 });
  });
});

describe('restore', () => {
  const codesIn = async (store: BranchStore) =>
    (await store.snapshot()).coverage.map(({ code }) => code).sort();
  const MOVED = [COVERAGE_HEADER, '64000,SUR01', '68000,SUR01'];

  test('brings back the load before one that lost rows, and was loaded again', async ({
    importing,
    run,
    store,
    stores,
  }) => {
    const before = await codesIn(store);
    await importing('coverage', MOVED, '--yes');
    const generation = Number((await store.version()).split('.')[1]);
    await stores.mongo.collection('coverage').deleteOne({ generation, postalCode: '68000' });
    expect((await importing('coverage', MOVED)).out).toMatch(/^Cargado\./m);
    expect(await run('coverage', ['restore', '--yes'])).toMatchObject({ code: 0 });
    expect(await codesIn(store)).toEqual(before);
  });

  test.for(['branches', 'coverage'] as const)(
    'of %s brings back what was before, and another one undoes it',
    async (name, { importing, run, store, stores }) => {
      const before = await store.snapshot();
      const lines = name === 'branches' ? [BRANCHES_HEADER, NORTH.replace('800', '801'), SOUTH] : MOVED;
      await importing(name, lines, '--yes');
      const after = await store.snapshot();
      expect(after[name]).not.toEqual(before[name]);

      const dry = await run(name, ['restore', '--dry-run']);
      expect([dry.code, dry.out.split('\n').at(-3)]).toEqual([
        0,
        expect.stringMatching(
          /^Prueba, no se cambio nada\. Filas: 2, cargadas el .{16} UTC\. Altas: 0, cambios: 1, bajas: 0\.$/,
        ),
      ]);
      const refused = await run(name, ['restore']);
      expect([refused.code, refused.out]).toEqual([1, '']);
      expect(refused.err).toContain('de 2 filas de');
      expect(await store.snapshot()).toEqual(after);

      const versions = [before.version, after.version];
      for (const wanted of [before, after, before]) {
        const { code, out } = await run(name, ['restore', '--yes']);
        expect([code, out]).toEqual([0, expect.stringMatching(/^Restaurado\. Filas: 2, cargadas el /m)]);
        expect(new Set<unknown>((await store.snapshot())[name])).toEqual(new Set<unknown>(wanted[name]));
        versions.push(await store.version());
      }
      const audit = stores.mongo.collection('audit');
      const [last] = await audit
        .find({ action: `${name}.restore` })
        .sort({ at: -1 })
        .limit(1)
        .toArray();
      expect(last).toMatchObject({
        outcome: 'ok',
        details: { rows: 2, changed: 1, version: versions.at(-1), restored: versions.at(-3), yes: true },
      });
    },
  );

  test('names who loaded what it brings back', async ({ importing, run }) => {
    await importing('coverage', MOVED, '--yes');
    await importing('coverage', [COVERAGE_HEADER, '64000,NTE01', '68000,NTE01'], '--yes');
    const { out } = await run('coverage', ['restore', '--dry-run']);
    expect(out).toMatch(/Filas: 2, cargadas el .{16} UTC por \S+\. Altas/);
  });

  test('of coverage checks the branches as an import does', async ({ importing, run, store }) => {
    await importing('coverage', [COVERAGE_HEADER, '64000,NTE01', '68000,NTE01'], '--yes');
    await importing('branches', [BRANCHES_HEADER, NORTH], '--yes');
    const before = await store.snapshot();
    expect(await run('coverage', ['restore', '--yes'])).toEqual({
      code: 1,
      out: '',
      err: 'No se cambio nada. En la carga anterior, Sucursal SUR01: no esta entre las sucursales cargadas. Restaure antes las sucursales, o cargue un archivo\n',
    });
    expect(await store.snapshot()).toEqual(before);
    await run('branches', ['restore', '--yes']);
    expect((await run('coverage', ['restore', '--yes'])).code).toBe(0);
    expect(await codesIn(store)).toEqual(['NTE01', 'SUR01']);
  });

  test('refuses a load before that is not there, or lacks rows', async ({
    importing,
    run,
    store,
    stores,
  }) => {
    await importing('coverage', MOVED, '--yes');
    const generation = Number((await store.version()).split('.')[1]);
    await stores.mongo.collection('coverage').deleteOne({ generation: { $ne: generation } });
    expect((await run('coverage', ['restore', '--yes'])).err).toBe(
      'La carga anterior esta incompleta: la base de datos tiene 1 de 2 filas cargadas. Cargue el archivo completo\n',
    );
    for (const name of ['generations', 'coverage', 'branches'])
      await stores.mongo.collection(name).deleteMany({});
    await importing('branches', [BRANCHES_HEADER, NORTH, SOUTH]);
    expect((await run('branches', ['restore', '--yes'])).err).toBe(
      'No hay una carga de las sucursales antes de la que esta en vigor\n',
    );
  });

  /** A write of a load that fails, as that of a process that is killed before it. */
  const prototype = mongo.Collection.prototype as mongo.Collection;
  test.for([
    ['insertMany', 'the old', ['NTE01', 'SUR01']],
    ['updateOne', 'the old', ['NTE01', 'SUR01']],
    ['deleteMany', 'the new', ['SUR01', 'SUR01']],
  ] as const)(
    'works after a load that died before %s, which leaves %s one',
    async ([write, _, inForce], { importing, run, store }) => {
      await importing('coverage', [COVERAGE_HEADER, '64000,NTE01', '68000,NTE01'], '--yes');
      await importing('coverage', [COVERAGE_HEADER, '64000,NTE01', '68000,SUR01'], '--yes');
      const real = prototype[write] as (...given: unknown[]) => Promise<unknown>;
      let calls = 0;
      const spy = vi.spyOn(prototype, write).mockImplementation(function (
        this: unknown,
        ...given: unknown[]
      ) {
        // Before its own rows a load removes what an earlier one has left.
        if (write === 'deleteMany' && calls++ === 0) return real.apply(this, given) as never;
        throw new Error('killed');
      });
      const { code } = await importing('coverage', MOVED, '--yes');
      spy.mockRestore();
      expect([code, await codesIn(store)]).toEqual([write === 'deleteMany' ? 0 : 1, inForce]);
      expect((await run('coverage', ['restore', '--yes'])).code).toBe(0);
      expect(await codesIn(store)).toEqual(write === 'deleteMany' ? ['NTE01', 'SUR01'] : ['NTE01', 'NTE01']);
    },
  );
});

describe('a wrong file', () => {
  test('is refused with every bad line, its column, value and reason', async ({ importing, folder }) => {
    const text = 'admite hasta 120 caracteres, sin caracteres de control';
    const code = 'debe tener de 2 a 20 letras A-Z o digitos';
    const phone = 'debe tener de 7 a 15 digitos, o quedar vacio';
    const cases: [string, string][] = [
      [south({ Codigo: 'A' }), `, Codigo "A": ${code}`],
      [south({ Codigo: 'nte01' }), ', Codigo "NTE01": repetido, ya esta en la linea 2'],
      [
        south({ Codigo: 'S1', Nombre: ' ' }),
        ', Nombre "": debe tener de 1 a 120 caracteres, sin caracteres de control',
      ],
      [south({ Codigo: 'S2', Calle: 'x'.repeat(121) }), `, Calle "${'x'.repeat(40)}...": ${text}`],
      [south({ Codigo: 'S3', Estado: 'a\u001b[2Jb' }), `, Estado "a\\u{1b}[2Jb": ${text}`],
      [
        south({ Codigo: 'S4', CodigoPostal: '6600' }),
        ', CodigoPostal "6600": debe tener 5 digitos (una hoja de calculo quita los ceros del principio)',
      ],
      [south({ Codigo: 'S5', Telefono: '123456' }), `, Telefono "123456": ${phone}`],
      [south({ Codigo: 'S7', Activa: 'quiza' }), ', Activa "quiza": debe ser si o no'],
      ['S9,Sur', ': tiene 2 columnas, el encabezado 12'],
      [`"${SOUTH}`, ': comillas mal puestas o sin cerrar'],
    ];
    const lines = cases.map(([line]) => line);
    expect(await importing('branches', [BRANCHES_HEADER, NORTH, '', ...lines, SOUTH])).toEqual({
      code: 1,
      out: '',
      err: [
        `${join(folder, 'in.csv')}: No se cargo nada. Errores: 10`,
        ...cases.map(([, message], index) => `  linea ${index + 4}${message}`),
        '',
      ].join('\n'),
    });
  });

  test('of coverage is refused by its line', async ({ importing }) => {
    const { code, err } = await importing('coverage', [COVERAGE_HEADER, '64000,NTE01', '64001,XXX01']);
    const message = 'linea 3, Sucursal "XXX01": no esta entre las sucursales cargadas';
    expect([code, err]).toEqual([1, expect.stringContaining(`Errores: 1\n  ${message}`)]);
  });

  test('with wrong routes is refused by their lines', async ({ importing, folder }) => {
    const values = ['R-1234567', 'R 12', 'Ñ', 'R_1', 'R.1'];
    const { code, err } = await importing('coverage', [
      `${COVERAGE_HEADER},Ruta`,
      ...values.map((value, i) => `6400${i},NTE01,${value}`),
    ]);
    const reason = 'debe tener de 1 a 8 letras A-Z, digitos o guiones, o quedar vacio';
    const lines = values.map((value, i) => `  linea ${i + 2}, Ruta "${value}": ${reason}`);
    const head = `${join(folder, 'in.csv')}: No se cargo nada. Errores: 5`;
    expect([code, err]).toEqual([1, [head, ...lines, ''].join('\n')]);
  });

  test('changes nothing', async ({ importing, store }) => {
    const before = await store.snapshot();
    await importing('branches', [BRANCHES_HEADER, south({ Codigo: 'OTE01' }), south({ Codigo: '?' })]);
    await importing('coverage', [COVERAGE_HEADER, '10000,NTE01', '1,NTE01']);
    expect(await store.snapshot()).toEqual(before);
  });

  test.for([
    ['nothing', '', 'El archivo no tiene filas'],
    ['a column missing', 'CodigoPostal\n64000', 'Encabezado (linea 1): faltan columnas: Sucursal. Debe ser'],
    ['a column too many', `${COVERAGE_HEADER},Zona\n1,2,3`, 'columnas desconocidas: "Zona"'],
    ['more than 200 000 rows', `${COVERAGE_HEADER}${'\n1,2'.repeat(200_001)}`, 'mas de 200000 filas'],
    [
      'UTF-16',
      Buffer.from(`${COVERAGE_HEADER}\n64000,NTE01`, 'utf16le'),
      'Encabezado (linea 1): faltan columnas',
    ],
  ] as const)('with %s is refused by its name', async ([_, content, message], { importing, folder }) => {
    const { code, err } = await importing('coverage', content);
    expect(code).toBe(1);
    expect(err).toContain(`${join(folder, 'in.csv')}: `);
    expect(err).toContain(message);
  });

  test('that cannot be read is named', async ({ run, folder }) => {
    expect(await run('coverage', ['import', 'nada.csv'])).toEqual({
      ...{ code: 1, out: '', err: `${join(folder, 'nada.csv')}: No existe\n` },
    });
    const err = `${folder}: Es una carpeta: indique un archivo\n`;
    expect(await run('branches', ['import', '.'])).toEqual({ code: 1, out: '', err });
  });
});

describe('export', () => {
  test('writes a file that imports to the same data', async ({ run, store }) => {
    const before = await store.snapshot();
    for (const name of ['branches', 'coverage'] as const) {
      expect(await run(name, ['export', 'out.csv'])).toEqual({ code: 0, out: '', err: '' });
      const { out } = await run(name, ['import', 'out.csv']);
      expect(out).toMatch(/^Sin cambios, .* Filas: 2\. Altas: 0, cambios: 0, bajas: 0\.\n$/);
    }
    const { branches, coverage } = await store.snapshot();
    expect(branches).toEqual(before.branches);
    expect(coverage).toEqual(before.coverage);
  });

  test('of any routes imports to the same', async ({ run, store }) => {
    const route = fc.string({ unit: fc.constantFrom(...'AZ09-'), minLength: 1, maxLength: 8 });
    const routes = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 99_999 }), fc.option(route)), {
      minLength: 1,
      selector: ([code]) => code,
    });
    await fc.assert(
      fc.asyncProperty(routes, async (rows) => {
        const coverage = rows.map(([code, route]) => ({
          postalCode: String(code).padStart(5, '0'),
          code: 'NTE01',
          ...(route && { route }),
        }));
        await store.loadCoverage(coverage);
        await run('coverage', ['export', 'out.csv']);
        const { out } = await run('coverage', ['import', 'out.csv']);
        expect(out).toContain(`Filas: ${coverage.length}. Altas: 0, cambios: 0, bajas: 0.`);
        expect(new Set((await store.snapshot()).coverage)).toEqual(new Set(coverage));
      }),
      { numRuns: 8 },
    );
  });

  test('names a file that cannot be written', async ({ run, folder }) => {
    const err = `No se puede leer o escribir ${join(folder, 'nada/out.csv')} (ENOENT)\n`;
    expect(await run('coverage', ['export', 'nada/out.csv'])).toEqual({ code: 1, out: '', err });
  });

  test('writes to standard output without a file name', async ({ run }) => {
    const { out } = await run('coverage', ['export']);
    expect(out).toBe('\uFEFFCodigoPostal,Sucursal,Ruta\n64000,NTE01,\n68000,SUR01,\n');
  });

  test('holds no spreadsheet formula, and keeps every text', async ({ folder, run, store }) => {
    const alone = ['=1+1', '+52', '-5', '@SUM(A1)', "'=1", "'casa'", '＝1', 'a=b'];
    const texts = [...alone, 'a;=1+1', "a;'=1", 'a;"=1"'];
    await store.loadBranches(
      texts.map((Nombre, index) => ({ ...branchOf(SOUTH), Codigo: `F${index}X`, Nombre })),
    );
    await run('branches', ['export', 'out.csv']);
    const exported = await readFile(join(folder, 'out.csv'), 'utf8');
    // As spreadsheets take it that separate by a comma, and those that do by a semicolon or a tab.
    for (const cell of exported.split(/[\n,;\t]/)) expect(cell).not.toMatch(/^["\s]*[=+\-@\t\r＝＋－＠]/);
    expect((await run('branches', ['import', 'out.csv'])).out).toContain('cambios: 0, bajas: 0');
    const { branches } = await store.snapshot();
    expect(branches.map(({ Nombre }) => Nombre).sort()).toEqual([...texts].sort());
  });

  test('round-trips any text', async ({ folder }) => {
    const cell = fc
      .string({ unit: fc.constantFrom(...`='+-@,;"a \u00f1\u{1f4e6}＝`) })
      .map((value) => `${value.trim()}.`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1 }), async (rows) => {
        const path = join(folder, 'property.csv');
        await writeFile(path, formatCsv(['A', 'B'], rows));
        const report = new LineReport();
        const read: string[][] = [];
        for await (const { cells } of readGuardedRows(path, ['A', 'B'], report))
          read.push([cells.A, cells.B]);
        expect([report.count, read]).toEqual([0, rows]);
      }),
    );
  });
});

test.for<[string[], string]>([
  [[], 'Falta un comando. '],
  [['import', 'a.csv', '--force'], 'Opcion desconocida. '],
])('the usage %j exits with 2 and names --help', async ([args, message], { run }) => {
  for (const name of ['branches', 'coverage'] as const) {
    const { code, out, err } = await run(name, args);
    expect([code, out]).toEqual([2, '']);
    expect(err.endsWith(`${message}Vea npm run branches -- --help\n`)).toBe(true);
  }
});
