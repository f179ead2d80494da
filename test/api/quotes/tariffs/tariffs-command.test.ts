import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { DEMO_TARIFF } from '#local/demo-data.ts';
import { TariffStore } from '#services/api/quotes/tariffs/tariff-store.ts';
import { inForceAt, versionsIn } from '#services/api/quotes/tariffs/tariff-versions.ts';
import { run } from '#services/api/tariffs-cli.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { test as base } from '#test/fixtures/stores.ts';
import { demoFolder } from './demo-tariff.ts';

/** Runs `npm run tariffs`, as operator `ana`, in a database that has no tariff yet. */
const test = base.extend('tariffs', async ({ stores }) => {
  await stores.mongo.collection('tariffs').deleteMany({});
  return (...args: string[]) =>
    runCommand(run, args, { env: { MONGODB_URI: stores.mongoUri, OPERATOR: 'ana' } });
});

/** Options of `quote`, without the origin. */
const PARCEL = ['--cp', '64000', '--kg', '2.5', '--cm', '30,20,15'];

/** Makes a folder with another price of fuel. */
async function folderWithFuel(): Promise<string> {
  const surcharges = await readFile(join(DEMO_TARIFF, 'recargos.csv'), 'utf8');
  return folderWith('recargos.csv', surcharges.replace('11.5', '12'));
}

/** Makes a folder with one file. */
async function folderWith(file: string, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tariff-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, file), content);
  return folder;
}

describe('npm run tariffs', () => {
  test('checks, loads, prices, exports, restores and withdraws versions', async ({ tariffs }) => {
    expect((await tariffs('list')).out).toBe('No hay tarifas\n');
    expect((await tariffs('import', DEMO_TARIFF)).out).toMatch(/Version 1, en vigor desde/);
    const quote = ['quote', '--account', 'demo', '--origin', '06600', ...PARCEL];
    const { out } = await tariffs(...quote, '--declared', '1500');
    expect(out).toContain(
      'Domicilio: lista mayoreo, zona 3, cobra 3 kg (volumetrico 1.8 kg), 2 a 3 dias habiles',
    );
    expect(out).toMatch(/total +194\.30/);

    const fuel = await folderWithFuel();
    const changes = [
      'recargos.csv',
      '  cambio  combustible, siempre  Porcentaje: 11.5 -> 12',
      'Aviso: de 4 filas de recargos.csv se quitan 0 y cambian 1, mas de una decima parte',
    ].join('\n');
    expect((await tariffs('import', fuel, '--dry-run')).out).toBe(
      `${changes}\nPrueba, no se cambio nada. Archivos: recargos.csv. Altas: 0, cambios: 1, bajas: 0.\nSin --dry-run pregunta, o pide --yes\n`,
    );
    expect((await tariffs('import', fuel)).err).toBe(
      `${changes}\nNo se cambio nada: revise los avisos, y si asi debe ser agregue --yes\n`,
    );
    expect((await tariffs('import', fuel, '--yes')).out).toMatch(/^Version 2, en vigor desde /m);
    const contracts = await folderWith('contratos.csv', 'Cuenta,Lista,Descuento\ntienda,mayoreo,5\n');
    const warned = await tariffs('import', contracts);
    expect(warned).toMatchObject({ code: 1, out: '' });
    expect(warned.err).toContain('linea 2, Cuenta "tienda": ninguna cuenta se llama asi');
    expect(warned.err).toContain('No se cambio nada: revise los avisos, y si asi debe ser agregue --yes');

    const copy = join(fuel, 'copia');
    expect((await tariffs('export', '1', copy)).out).toContain('Archivos de la version 1: areas.csv, ');
    for (const file of ['precios.csv', 'zonas.csv']) {
      expect(await readFile(join(copy, file))).toEqual(await readFile(join(DEMO_TARIFF, file)));
    }
    expect((await tariffs('restore', '1', '--yes')).out).toMatch(
      /^Restaurado\..*\nVersion 3, con los archivos de la 1, en vigor desde/m,
    );
    expect((await tariffs('withdraw', '3')).out).toBe('Version 3 retirada; en vigor queda la 2\n');
    expect((await tariffs('list')).out).toMatch(
      /^version .*\n3 .* retirada .* ana\n2 .* en vigor .* ana\n1 .* anterior .* ana\nHoras de America\/Mexico_City\n$/,
    );
    expect((await tariffs('withdraw', '7')).err).toBe('No hay una version 7. Vea list\n');
  });

  test.for([
    [1, `${resolve('nada')}: No existe`, 'import', 'nada', '--dry-run'],
    [1, `${join(DEMO_TARIFF, 'areas.csv')}: No es una carpeta`, 'import', join(DEMO_TARIFF, 'areas.csv')],
    [1, 'La carpeta ya existe: nombre una nueva', 'export', '1', DEMO_TARIFF],
    [1, 'No hay una version 9. Vea list', 'quote', ...PARCEL, '--origin', '06600', '--version', '9'],
    [1, '--origin: no hay una sucursal con ese codigo', 'quote', ...PARCEL, '--origin', 'XX'],
    [2, 'Falta --origin. Vea quote --help', 'quote', ...PARCEL],
    [2, '--kg debe ser mayor que 0', 'quote', ...PARCEL, '--origin', 'XX', '--kg', '0'],
    [2, '--cm lleva tres lados, como 30,20,15', 'quote', ...PARCEL, '--origin', 'XX', '--cm', '30,20'],
  ] as [code: number, message: string, ...args: string[]][])(
    'says what is wrong: %i, %s',
    async ([code, message, ...args], { tariffs }) => {
      await tariffs('import', DEMO_TARIFF, '--yes');
      expect(await tariffs(...args)).toEqual({ code, out: '', err: `${message}\n` });
    },
  );

  test('does not price without a tariff in force', async ({ tariffs }) => {
    expect((await tariffs('quote', ...PARCEL, '--origin', '06600')).err).toBe(
      'No hay una tarifa en vigor: cargue una con import\n',
    );
  });

  test('a restore shows what it changes, asks, and is itself undone', async ({ stores, tariffs }) => {
    await tariffs('import', DEMO_TARIFF, '--yes');
    await tariffs('import', await folderWithFuel(), '--yes');
    const [back, forth] = ['12 -> 11.5', '11.5 -> 12'];
    const dry = await tariffs('restore', '1', '--dry-run');
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining(`Porcentaje: ${back}\n`)]);
    expect((await tariffs('restore', '1')).err).toMatch(/se quitan 0 y cambian 1, .*\nNo se cambio nada/);
    expect((await tariffs('restore', '1', '--yes')).out).toContain(`Porcentaje: ${back}\n`);
    expect((await tariffs('restore', '2', '--yes')).out).toContain(`Porcentaje: ${forth}\n`);
    const audit = await stores.mongo.collection('audit').find().sort({ _id: -1 }).limit(4).toArray();
    expect(audit.map(({ action, subject, outcome, details }) => [action, subject, outcome, details])).toEqual(
      [
        [
          'tariffs.restore',
          '2',
          'ok',
          { yes: true, added: 0, changed: 1, removed: 0, restored: 2, version: 4 },
        ],
        [
          'tariffs.restore',
          '1',
          'ok',
          { yes: true, added: 0, changed: 1, removed: 0, restored: 1, version: 3 },
        ],
        ['tariffs.restore', '1', 'failed', {}],
        ['tariffs.restore', '1', 'ok', { dryRun: true, added: 0, changed: 1, removed: 0, restored: 1 }],
      ],
    );
  });

  test('what is stored already changes nothing, but an example or another writing does', async ({
    tariffs,
  }) => {
    await tariffs('import', DEMO_TARIFF, '--yes');
    const unchanged =
      'Sin cambios, sigue la version 1. Archivos de la version 1. Altas: 0, cambios: 0, bajas: 0.\n';
    expect(await tariffs('restore', '1')).toEqual({ code: 0, out: unchanged, err: '' });
    expect((await tariffs('import', DEMO_TARIFF)).out).toMatch(
      /^Sin cambios, sigue la version 1\. Archivos: /,
    );
    const prices = await readFile(join(DEMO_TARIFF, 'precios.csv'), 'utf8');
    const folder = await folderWith('precios.csv', prices.replace('91.00', '91'));
    expect((await tariffs('import', folder)).out).toMatch(
      /^Cargado\. Archivos: precios\.csv\. Altas: 0, cambios: 0, bajas: 0\.\nVersion 2, en vigor desde/,
    );
  });

  test('what is in force already is stored for another day, when another version may be', async ({
    tariffs,
  }) => {
    await tariffs('import', DEMO_TARIFF);
    expect((await tariffs('import', DEMO_TARIFF, '--yes', '--from', '2099-12-20')).out).toMatch(
      /^Version 2, /m,
    );
    const fuel = await folderWithFuel();
    expect((await tariffs('import', fuel, '--yes', '--from', '2099-12-10')).out).toMatch(/^Version 3, /m);
  });

  test('a header alone empties a file that a tariff may lack', async ({ tariffs }) => {
    await tariffs('import', DEMO_TARIFF, '--yes');
    const folder = await folderWith('contratos.csv', 'Cuenta,Lista,Descuento\n');
    expect((await tariffs('import', folder)).err).toContain(
      'contratos.csv\n  baja  demo  mayoreo, 10\nAviso: de 1 filas de contratos.csv se quitan 1 y cambian 0',
    );
    const { out } = await tariffs('import', folder, '--yes');
    expect(out).toContain('Cargado. Archivos: contratos.csv. Altas: 0, cambios: 0, bajas: 1.');
    const { out: price } = await tariffs('quote', '--account', 'demo', '--origin', '06600', ...PARCEL);
    expect(price).toContain('Domicilio: lista publica, zona 3');
  });

  test('a version for another day waits for its midnight', async ({ tariffs }) => {
    const { out } = await tariffs('import', DEMO_TARIFF, '--yes', '--from', '2099-12-01');
    expect(out).toContain('Version 1, futura: rige desde 2099-12-01 00:00:00 (America/Mexico_City)');
    expect((await tariffs('list')).out).toContain('2099-12-01 00:00  futura');
    for (const [day, message] of [
      ['2020-01-01', '--from debe ser un dia que no ha empezado\n'],
      ['2099-02-30', 'La fecha debe ser como 2026-12-01\n'],
    ] as const) {
      expect(await tariffs('import', DEMO_TARIFF, '--from', day)).toEqual({ code: 2, out: '', err: message });
    }
  });

  test.for([-20, 60])('a machine whose clock is %i s off says what is so', async (seconds, { tariffs }) => {
    await tariffs('import', DEMO_TARIFF, '--yes');
    await tariffs('import', await folderWithFuel(), '--yes');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 * seconds });
    onTestFinished(() => void vi.useRealTimers());
    const { out } = await tariffs('restore', '1', '--yes');
    vi.useRealTimers();
    const [, since = ''] = /^Version 3, con los archivos de la 1, en vigor desde (.{19}) /m.exec(out) ?? [];
    expect(Math.abs(Date.parse(`${since}-06:00`) - Date.now())).toBeLessThan(10_000);
    expect((await tariffs('list')).out).toMatch(/\n3 .* en vigor .*\n2 .* anterior /);
    expect((await tariffs('withdraw', '3')).out).toBe('Version 3 retirada; en vigor queda la 2\n');
  });

  test('the newest is in force although the clock of the database has gone back', async ({
    stores,
    tariffs,
  }) => {
    const soon = new Date(Date.now() + 30_000);
    const store = new TariffStore(stores.mongo);
    await store.add(0, { folder: demoFolder, from: soon, by: 'ana' });
    await stores.mongo.collection('tariffs').updateOne({}, { $set: { at: soon } });
    expect((await tariffs('restore', '1', '--yes')).out).toContain('futura: rige desde ');
    expect(inForceAt(versionsIn(await store.entries()), soon.getTime())?.number).toBe(2);
  });

  test('a version in force names the one that ends it', async ({ tariffs }) => {
    await tariffs('import', DEMO_TARIFF, '--yes', '--from', '2099-12-01');
    expect((await tariffs('restore', '1', '--yes')).out).toMatch(
      /en vigor desde .*\nLa version 1 entra despues, el 2099-12-01 00:00:00 /,
    );
  });

  test('of two that follow the same entry one is refused', async ({ stores }) => {
    const store = new TariffStore(stores.mongo);
    const last = (await store.entries()).length;
    const version = { folder: demoFolder, from: new Date(), by: 'ana' };
    const both = await Promise.allSettled([store.add(last, version), store.add(last, version)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'tariffs-changed' },
    });
  });
});
