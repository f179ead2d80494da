import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { printingTest } from '#test/fixtures/services.ts';
import { startLosingProxy } from './losing-proxy.ts';

const ADDRESS = ['Nombre', 'Calle', 'Numero_exterior', 'Colonia', 'Municipio', 'Estado', 'CodigoPostal'];

/** Tests with `run`, which runs an example behind a proxy that loses answers, and checks what it made. */
export const test = printingTest.extend('run', { scope: 'file' }, async ({ api, stores, folder, demo }) => {
  const key = await demo.newKey();
  return async (program: string, example: string) => {
    const guides = stores.mongo.collection('guides');
    const proxy = await startLosingProxy(api.url);
    onTestFinished(proxy.close);
    const env = { ...process.env, API: proxy.url, LLAVE: key, PEDIDO: example };
    const { stdout } = await promisify(execFile)(program, [join(repoRoot, 'examples', example)], {
      cwd: folder,
      env,
      timeout: 60_000,
    });
    const stored = await guides
      .find({ 'guide.Referencia': { $in: [`${example}-1`, `${example}-2`] } })
      .toArray();
    expect(stored.length).toBe(2); // though the creation was sent twice
    expect(stored.map(({ guide }) => Object.keys(guide.Destinatario))).toEqual([ADDRESS, ADDRESS]); // no warning
    const totals = stored.map(({ total }) => total as number);
    expect(totals.every((total) => total > 0)).toBe(true);
    for (const total of totals) expect(stdout).toContain(`${total}`);
    const all = await guides.find({ status: 'Documentado' }).toArray();
    const waiting = all.map(({ _id }) => `${_id}`);
    const [printed = '', listed = ''] = stdout.trim().split('\nEsperan: ');
    expect(listed.split(' ').toSorted()).toEqual(waiting.toSorted());
    const pages = [...proxy.asked].filter(([path]) => path.startsWith('/api/guias?'));
    expect(pages).toHaveLength(waiting.length); // one guide each
    expect(Object.fromEntries(proxy.asked)).toEqual({
      '/api/guias/cotizar': 1,
      '/api/guias/crear': 2,
      '/api/guias/etiquetas': 3,
      ...Object.fromEntries(pages.map(([path]) => [path, 1])),
    });
    const numbers = printed.match(/\d{12}/g) ?? [];
    const labels = await readLabel(await readFile(join(folder, 'etiquetas.pdf')));
    const codes = labels.map(({ code128 }) => code128[0]);
    expect(codes).toEqual([`${numbers[0]}-01`, `${numbers[1]}-01`, `${numbers[1]}-02`]);
  };
});
