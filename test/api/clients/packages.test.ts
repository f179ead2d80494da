import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { findProgram } from '#local/programs/ensure-programs.ts';
import service from '#services/api/package.json' with { type: 'json' };
import { minimalGuide } from '#test/fixtures/client.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** That npm and pip install them is in test/clients. */

const test = printingTest
  .extend('page', { scope: 'file' }, async ({ api }) => (await fetch(`${api.url}/api/docs/cliente`)).text())
  /** Fetches the package that the chapter installs by a command. */
  .extend('packageOf', { scope: 'file' }, ({ page }) => async (command: string) => {
    const [, address = ''] = new RegExp(`${command} install (http[^<\\s]+)`).exec(page) ?? [];
    const response = await fetch(address);
    return { address, response, bytes: Buffer.from(await response.arrayBuffer()) };
  });

describe('a package of the chapter on clients', () => {
  test.for([
    ['npm', `guias-de-envio-${service.version}.tgz`, 'application/gzip'],
    ['pip', `guias_de_envio-${service.version}-py3-none-any.whl`, 'application/zip'],
  ] as const)(
    'is what «%s» names, in the version of the service',
    async ([command, file, type], { packageOf, page }) => {
      const { address, response, bytes } = await packageOf(command);
      expect(new URL(address).pathname).toBe(`/api/docs/cliente/${file}`);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': type,
        'content-disposition': `attachment; filename="${file}"`,
        'cache-control': 'public, max-age=31536000, immutable',
      });
      expect(page).toContain(createHash('sha256').update(bytes).digest('hex'));
    },
  );

  test('for TypeScript creates a guide and prints it', async ({ api, demo, folder, packageOf }) => {
    const { bytes } = await packageOf('npm');
    execFileSync('tar', ['-xzf', '-', '-C', folder], { input: bytes });
    symlinkSync(join(repoRoot, 'node_modules'), join(folder, 'node_modules'));
    const { ClienteDeGuias } = await import(pathToFileURL(join(folder, 'package/dist/index.mjs')).href);
    const client = new ClienteDeGuias({ url: api.url, llave: await demo.newKey() });
    const { data } = await client.crearGuias({ TipoServicio: 'Domicilio', Guia: [minimalGuide()] });
    const label = await client.obtenerEtiqueta10x15(data[0].SEND_GUIA);
    expect(Buffer.from(label).toString('latin1', 0, 5)).toBe('%PDF-');
    const guides = [];
    for await (const { SEND_GUIA } of client.recorrerGuias({ limite: 1 })) guides.push(SEND_GUIA);
    expect(guides).toEqual([data[0].SEND_GUIA]);
  });

  test('for Python is a wheel whose record is right, and Python', async ({ folder, packageOf }) => {
    const { bytes } = await packageOf('pip');
    const files = unzipSync(bytes);
    const info = `guias_de_envio-${service.version}.dist-info`;
    const record = strFromU8(files[`${info}/RECORD`] ?? new Uint8Array()).trim();
    const expected = Object.entries(files).map(([path, content]) => {
      const hash = createHash('sha256').update(content).digest('base64url');
      return path.endsWith('RECORD') ? `${path},,` : `${path},sha256=${hash},${content.length}`;
    });
    expect(record.split('\n')).toEqual(expected);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['guias_de_envio/py.typed', `${info}/METADATA`, `${info}/licenses/LICENSE`]),
    );
    if (!findProgram('python3')) return;
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    execFileSync('python3', ['-m', 'compileall', '-q', 'guias_de_envio'], { cwd: folder });
  });
});
