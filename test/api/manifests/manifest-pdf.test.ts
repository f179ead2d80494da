import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { Client } from '#test/fixtures/client.ts';
import { codesOf, HEAD_DPI, pagesOf } from '#test/fixtures/labels/pictures.ts';
import { manifestOf, newGuides } from '#test/fixtures/manifests.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** The PDF of a manifest, as the label worker prints it. What stands on it is in `test/label-worker/manifest`. */

const test = printingTest.extend('made', { scope: 'file' }, ({ demo }) => async (guides: string[]) => {
  return manifestOf(await demo.post('/api/manifiestos', { Guias: guides })).Manifiesto;
});
const textOf = (pdf: Uint8Array) =>
  execFileSync('pdftotext', ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });

test('of 500 guides is printed within the time of a label, with its code', async ({ demo, made }) => {
  const guides = await newGuides(demo, 500, { Peso: 1.5 });
  const number = await made(guides);
  const { status, headers, bytes } = await demo.pdf(`/api/manifiestos/${number}/pdf`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const text = textOf(bytes);
  expect(text.match(/\d{4} \d{4} \d{4}/g)?.map((guide) => guide.replaceAll(' ', ''))).toEqual(guides);
  for (const words of ['Ciudad de México', '500 guías', '750 kg']) expect(text).toContain(words);
  expect(text).not.toMatch(/Ana Lopez|Luis Perez/);
  const [page] = await pagesOf(bytes, HEAD_DPI, { pages: [1] });
  expect(await codesOf(page ? [page] : [])).toEqual([[`CODE-128:${number}`]]);
});

test('changes as a guide is cancelled, and with it its ETag', async ({ demo, made }) => {
  const [guide = '', other = ''] = await newGuides(demo, 2);
  const path = `/api/manifiestos/${await made([guide, other])}/pdf`;
  const before = await demo.pdf(path);
  const tag = { 'if-none-match': before.headers.get('etag') ?? '' };
  expect((await demo.pdf(path, tag)).status).toBe(304);
  expect(textOf(before.bytes)).not.toContain('CANCELADA');
  await demo.post(`/api/guias/${other}/cancelar`, '');
  const after = await demo.pdf(path, tag);
  expect(after.status).toBe(200);
  expect(textOf(after.bytes)).toMatch(/CANCELADA/);
  expect(textOf(after.bytes)).toContain('1 guía de la lista se canceló después.');
});

test('of a test account says that it is a test', async ({ api }) => {
  const tester = await Client.login(api.url, 'prueba');
  const answer = await tester.post('/api/manifiestos', { Guias: await newGuides(tester, 1) });
  const { bytes } = await tester.pdf(`/api/manifiestos/${manifestOf(answer).Manifiesto}/pdf`);
  expect(textOf(bytes)).toContain('PRUEBA · NO ENVIAR');
});
