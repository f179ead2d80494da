import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { CORE, ROOMS } from '#services/api/app.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { importsOf } from '#test/fixtures/imports.ts';
import { inFolder } from '#test/fixtures/labels/pictures.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** A room of the api is a folder that can be taken away (docs/architecture.md "Rooms"). */

const run = promisify(execFile);
const test = printingTest.override('built', { rooms: CORE });

describe('the core alone', () => {
  test('answers each endpoint of the specification', async ({ demo }) => {
    // `demo` has logged in.
    const created = await demo.post('/api/guias/crear', {
      TipoServicio: 'Domicilio',
      Guia: [minimalGuide()],
    });
    expect(created.body.data).toMatchObject([{ SEND_ESTATUS: 'Documentado', SEND_FLETE: 0, SEND_TOTAL: 0 }]);
    const [{ SEND_GUIA: number } = { SEND_GUIA: '' }] = created.body.data as { SEND_GUIA: string }[];
    for (const path of [
      'auth/validate',
      'apipermissions/my-permissions',
      'guias/validar-destino/MTY01',
      'sucursales',
      'sucursales/destinos',
      'sucursales/origenes',
      'sucursales/cobertura/06600',
    ]) {
      expect({ path, ...(await demo.get(`/api/${path}`)).body }).toMatchObject({ path, response: 'OK' });
    }
    for (const path of ['etiqueta', 'etiqueta-pequena']) {
      const { status, bytes } = await demo.pdf(`/api/guias/${path}/${number}`);
      expect([status, bytes.toString('latin1', 0, 5)]).toEqual([200, '%PDF-']);
    }
  });

  test('says nothing of other rooms in its document', async ({ demo }) => {
    const { status, body } = await demo.get('/api/openapi.json');
    expect(status).toBe(200);
    // Texts of the core's port for prices name quotes, and a label has the tracking page's code.
    expect(JSON.stringify({ ...body, webhooks: undefined })).not.toMatch(
      /manifiesto|evento|webhook|simula|docs|\{\{/i,
    );
    expect(body).toMatchObject({ webhooks: {} });
  });

  test('validates all but quotes at once', async ({ demo }) => {
    const guide = { ...minimalGuide({ CodigoPostal: '99999' }), Cotizacion: 'alterada' };
    const { body } = await demo.post('/api/guias/validar', {
      TipoServicio: 'Domicilio',
      Guia: [
        { ...guide, Remitente: { Nombre: '' } },
        { ...minimalGuide(), Cotizacion: 'alterada' },
      ],
    });
    expect(body.details?.map(({ indice, codigo }) => [indice, codigo])).toEqual([
      [0, 'campo_requerido'],
      [0, 'sin_cobertura'],
    ]);
  });

  test('has no route of another room', async ({ demo }) => {
    for (const path of ['eventos', 'manifiestos', 'webhooks', 'docs']) {
      expect((await demo.get(`/api/${path}`)).status).toBe(404);
    }
  });
});

const FOLDER = 'services/api';
const coreNames = new Set(CORE.map(({ name }) => name));
const above = ROOMS.map(({ name }) => name).filter((name) => !coreNames.has(name));
/** The tables of contents, and programs of a room. */
const TABLES = ['app.ts', 'cli.ts'];
const PROGRAMS: Readonly<Record<string, readonly string[]>> = { quotes: ['tariffs-cli.ts'] };

/** The compiler takes some seconds of both cores, and a minute on busy ones. */
const COMPILE_MS = 300_000;

describe('each room above the core', () => {
  test.for(above)('%s can be taken away, with the rooms that stand on it', { timeout: COMPILE_MS }, (name) =>
    inFolder(async (folder) => {
      const gone = [name, ...standingOn(name)];
      const files = repositoryFiles.filter(
        (path) => /^(?:services\/api|shared)\//.test(path) && !gone.some((room) => isOf(room, path)),
      );
      for (const path of [...files, 'package.json', 'tsconfig.json']) {
        await mkdir(join(folder, path, '..'), { recursive: true });
        await cp(join(repoRoot, path), join(folder, path));
      }
      await symlink(join(repoRoot, 'node_modules'), join(folder, 'node_modules'));
      // The workspace's own link leads out of the copy.
      const linked = join(folder, FOLDER, 'node_modules/@shipping-guides');
      await mkdir(linked, { recursive: true });
      await symlink(join(folder, 'shared'), join(linked, 'shared'));
      for (const table of TABLES) {
        const path = join(folder, FOLDER, table);
        await writeFile(path, without(await readFile(path, 'utf8'), gone));
      }
      expect(await compile(folder)).toBe('');
    }),
  );
});

function isOf(room: string, path: string): boolean {
  const programs = PROGRAMS[room] ?? [];
  return path.startsWith(`${FOLDER}/${room}/`) || programs.some((program) => path === `${FOLDER}/${program}`);
}

/** Returns the rooms that import a room, directly or not. */
function standingOn(name: string): string[] {
  const found = new Set([name]);
  for (const room of found) {
    for (const other of above) if (imports(other, room)) found.add(other);
  }
  return [...found].filter((room) => room !== name);
}

function imports(room: string, other: string): boolean {
  const sources = repositoryFiles.filter((path) => path.endsWith('.ts') && isOf(room, path));
  return sources.some((path) => [...importsOf(path).files].some((to) => isOf(other, to)));
}

/** Takes the imports from rooms, and whatever names what they import, from a table of contents. */
function without(text: string, rooms: readonly string[]): string {
  const names: string[] = [];
  const rest = text.replaceAll(
    /^import (?:type )?\{([^}]*)\} from '\.\/([\w-]+)\/[^']*';\n/gm,
    (whole, imported: string, room: string) => {
      if (!rooms.includes(room)) return whole;
      names.push(...imported.split(',').map((name) => name.trim().replace(/^type /, '')));
      return '';
    },
  );
  const left = names.reduce(
    (before, name) =>
      before
        .replaceAll(new RegExp(`^\\s*${name}\\(.*\\);\n`, 'gm'), '') // a command
        .replaceAll(new RegExp(`^\\s*${name},\n`, 'gm'), '') // a room
        .replaceAll(new RegExp(`, ${name}\\b`, 'g'), '')
        .replaceAll(new RegExp(`\\b${name}, `, 'g'), ''),
    rest,
  );
  return withoutUnused(left);
}

/** Takes away imports of one name that only a line of a room used. */
function withoutUnused(text: string): string {
  return text.replaceAll(/^import \{ (\w+) \} from '\.[^']*';\n/gm, (whole, name: string) =>
    text.split(new RegExp(`\\b${name}\\b`)).length > 2 ? whole : '',
  );
}

/** @returns what the compiler complains of in the api and in shared; the other services import nothing from the api. */
async function compile(folder: string): Promise<string> {
  const path = join(folder, 'tsconfig.json');
  const { compilerOptions } = JSON.parse(await readFile(path, 'utf8')) as { compilerOptions: object };
  const options = { ...compilerOptions, incremental: false, tsBuildInfoFile: undefined };
  await writeFile(path, JSON.stringify({ compilerOptions: options, include: ['services/api', 'shared'] }));
  const tsc = join(repoRoot, 'node_modules/.bin/tsc');
  try {
    await run(tsc, [], { cwd: folder });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
