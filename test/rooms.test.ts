import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { CORE } from '#services/api/app.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { inFolder } from '#test/fixtures/labels/pictures.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** The core stands by itself (docs/architecture.md "Rooms"). */

const run = promisify(execFile);
const test = printingTest.extend('built', { rooms: CORE });

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

/** The compiler takes some seconds of both cores, and a minute on busy ones. */
const COMPILE_MS = 300_000;

/**
 * The core names no error of a room above it: TypeScript adds up the errors of all rooms that it compiles. `defineRoom` and
 * house.test.ts see to all else.
 */
test('the core compiles without the rooms above it', { timeout: COMPILE_MS }, () =>
  inFolder(async (folder) => {
    const modules = ['http', 'platform', ...CORE.map(({ data }) => data.name)].map(
      (name) => `services/api/${name}`,
    );
    const project = {
      extends: join(repoRoot, 'tsconfig.json'),
      compilerOptions: {
        ...{ incremental: false, tsBuildInfoFile: null },
        typeRoots: [join(repoRoot, 'node_modules/@types')],
      },
      include: [...modules, 'shared'].map((module) => join(repoRoot, module)),
      exclude: [],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
    expect(await compile(folder)).toBe('');
  }),
);

/** Returns what the compiler complains of. */
async function compile(folder: string): Promise<string> {
  try {
    await run(join(repoRoot, 'node_modules/.bin/tsc'), ['--project', folder], { cwd: repoRoot });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
