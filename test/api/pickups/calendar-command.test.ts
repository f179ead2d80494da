import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { BRANCHES, DEMO_PICKUPS } from '#local/demo-data.ts';
import { run } from '#services/api/cli.ts';
import { CalendarStore } from '#services/api/pickups/calendar/calendar-store.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { test as base } from '#test/fixtures/stores.ts';

/** Runs `npm run admin -- pickups`, as operator `ana`, in a database with the demo branches and without a calendar. */
const test = base.extend('pickups', async ({ stores }) => {
  await stores.mongo.collection('pickupCalendars').deleteMany({});
  await new BranchStore(stores.mongo).loadBranches(BRANCHES);
  const env = {
    MONGODB_URI: stores.mongoUri,
    OPERATOR: 'ana',
  };
  return (...args: string[]) => runCommand(run, ['pickups', ...args], { env });
});

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pickups-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

test('loads, shows, restores and exports a calendar', async ({ pickups, stores }) => {
  expect((await pickups('status')).out).toBe('No hay un calendario de recolecciones: nadie pasa a recoger\n');
  expect((await pickups('import', DEMO_PICKUPS)).out).toMatch(
    /Cargado\. Ventanas: 16, dias sin recoleccion: 2\. Altas: 18, cambios: 0, bajas: 0\.\n$/,
  );
  expect((await pickups('import', DEMO_PICKUPS)).out).toBe(
    'Sin cambios, sigue la version 1. Ventanas: 16, dias sin recoleccion: 2. Altas: 0, cambios: 0, bajas: 0.\n',
  );
  const days = await folderWith({
    'dias_sin_recoleccion.csv': 'Fecha;Sucursal;Motivo\n2026-12-25;;Navidad\n2027-02-01;mex01;Puente\n',
  });
  const shown = await pickups('import', days, '--dry-run');
  expect(shown.out).toMatch(/^ {2}baja +2027-01-01 +Año nuevo$/m);
  expect(shown.out).toMatch(/^ {2}alta +2027-02-01, MEX01 +Puente$/m);
  expect(shown.out).toContain('Sin --dry-run pregunta, o pide --yes');
  expect((await pickups('import', days)).err).toContain('si asi debe ser agregue --yes');
  expect((await pickups('import', days, '--yes')).out).toContain('Ventanas: 16, dias sin recoleccion: 2');
  expect((await pickups('status')).out).toMatch(/^Version 2, cargada el .* UTC por ana\. Ventanas: 16/);

  const store = new CalendarStore(stores.mongo);
  const restored = await pickups('restore', '--yes');
  expect(restored.out).toMatch(
    /Restaurado\. Ventanas: 16, dias sin recoleccion: 2, cargadas el .* por ana\./,
  );
  expect((await store.read(3))?.calendar).toEqual((await store.read(1))?.calendar);

  const out = await folderWith({});
  expect((await pickups('export', out)).code).toBe(0);
  expect(await readFile(join(out, 'recolecciones.csv'), 'utf8')).toContain(
    "MEX01,lun,09:00,13:00,'-1 20:00,40,si\n",
  );
  expect((await pickups('import', out)).out).toContain('Sin cambios, sigue la version 3');
});

test.for<[string, string, string]>([
  [
    'an unknown branch',
    'XXX01,lun,09:00,13:00,08:00,',
    'linea 2, Sucursal "XXX01": no esta entre las sucursales cargadas',
  ],
  ['another day', 'MEX01,lunes,09:00,13:00,08:00,', 'linea 2, Dia "lunes": debe ser uno de: lun, mar'],
  ['a time of another form', 'MEX01,lun,9:00,13:00,08:00,', 'linea 2, Desde "9:00": debe ser HH:MM'],
  [
    'an end before the beginning',
    'MEX01,lun,14:00,13:00,08:00,',
    'linea 2, Hasta "13:00": debe ser despues de Desde',
  ],
  [
    'a cut-off of two days before',
    'MEX01,lun,09:00,13:00,-2 08:00,',
    'linea 2, Corte "-2 08:00": debe ser HH:MM, o -1 HH:MM',
  ],
  [
    'a cut-off after the end',
    'MEX01,lun,09:00,13:00,13:01,',
    'linea 2, Corte "13:01": no debe ser despues de Hasta',
  ],
  ['a broken number', 'MEX01,lun,09:00,13:00,08:00,1.5', 'linea 2, Cupo "1.5": debe ser un numero entero'],
  [
    'a window twice',
    'MEX01,lun,09:00,13:00,08:00,\nmex01,LUN,09:00,12:00,08:00,3',
    'linea 3 "MEX01 lun 09:00": repetido, ya esta en la linea 2',
  ],
])('refuses %s, and changes nothing', async ([, rows, reason], { pickups }) => {
  const folder = await folderWith({ 'recolecciones.csv': `Sucursal,Dia,Desde,Hasta,Corte,Cupo\n${rows}\n` });
  const { code, err } = await pickups('import', folder);
  expect([code, err]).toEqual([1, expect.stringContaining(reason)]);
  expect((await pickups('status')).out).toMatch(/^No hay/);
});

test('refuses a folder with other files, a calendar before there is one, and an export twice', async ({
  pickups,
}) => {
  const other = await folderWith({ 'inhabiles.csv': 'Fecha,Motivo\n' });
  expect((await pickups('import', other)).err).toContain('archivos que no son del calendario: inhabiles.csv');
  expect((await pickups('restore')).err).toContain('No hay un calendario anterior');
  expect((await pickups('export', other)).err).toContain('No hay un calendario de recolecciones');
});
