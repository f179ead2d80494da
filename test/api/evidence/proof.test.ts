import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { Client, fullGuide } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { codesOf, HEAD_DPI, pagesOf } from '#test/fixtures/labels/pictures.ts';
import { printingTest } from '#test/fixtures/services.ts';
import { outcomeOf, pathOf, put } from './fixture.ts';
import { png } from './pictures.ts';

/** The proof of delivery, as the label worker prints it. */

const test = printingTest
  .extend('scanner', { scope: 'file' }, ({ api }) => Client.login(api.url, 'escaner'))
  .extend(
    'register',
    { scope: 'file' },
    ({ scanner }) =>
      (...events: unknown[]) =>
        scanner.post('/api/eventos', { Eventos: events }),
  );
const textOf = (pdf: Uint8Array) =>
  execFileSync('pdftotext', ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
const picturesIn = (pdf: Uint8Array) =>
  execFileSync('pdfimages', ['-list', '-'], { input: pdf, encoding: 'utf8' })
    .split('\n')
    .filter((line) => /\bjpeg\b/.test(line)).length;

test('shows when, where and who received, with the pictures of what was not annulled', async ({
  demo,
  register,
  scanner,
}) => {
  const [{ SEND_GUIA: guide } = { SEND_GUIA: '' }] = await demo.created(fullGuide());
  const path = `/api/guias/${guide}/comprobante`;
  expect(outcomeOf(await demo.get(path))).toEqual([409, 'guia_sin_entrega']);
  const [wrong, right] = ['wrong', 'right'].map((Id) =>
    event(guide, 'Entregado', { Id, Sucursal: 'MTY01', Recibe: Id === 'right' ? 'Marta Ruiz' : 'Nadie' }),
  );
  await register(wrong, event(guide, 'Anulacion', { Anula: 'wrong' }), right);
  const bare = await demo.pdf(path);
  expect(textOf(bare.bytes)).toContain('No hay imágenes de la entrega.');
  for (const [Id, picture] of [
    ['wrong', 'firma'],
    ['right', 'foto1'],
    ['right', 'firma'],
  ] as const) {
    await put(scanner, pathOf(guide, Id, picture), png(300, 200));
  }
  const { status, headers, bytes } = await demo.pdf(path, {
    'if-none-match': bare.headers.get('etag') ?? '',
  });
  expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    200,
    'application/pdf',
    `inline; filename="comprobante-${guide}.pdf"`,
  ]);
  const text = textOf(bytes);
  for (const words of [
    'COMPROBANTE DE ENTREGA',
    'Luis Pérez Muñoz',
    'Marta Ruiz',
    'MTY01',
    'Firma',
    'Foto 1',
  ]) {
    expect(text).toContain(words);
  }
  expect(text).not.toContain('Nadie');
  expect(picturesIn(bytes)).toBe(2);
  const [page] = await pagesOf(bytes, HEAD_DPI, { pages: [1] });
  expect(await codesOf(page ? [page] : [])).toEqual([[`CODE-128:${guide}`]]);
  expect((await demo.pdf(path, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
});

test('of many deliveries has eight pictures, and says how many more there are', async ({
  demo,
  register,
  scanner,
}) => {
  const [{ SEND_GUIA: guide } = { SEND_GUIA: '' }] = await demo.created({
    ...fullGuide(),
    Producto: { ...fullGuide().Producto, Paquetes: 10 },
  });
  await register(
    ...Array.from({ length: 10 }, (_, i) => event(guide, 'Entregado', { Id: `e${i}`, Paquete: i + 1 })),
  );
  for (let i = 0; i < 10; i++) await put(scanner, pathOf(guide, `e${i}`, 'firma'), png(300, 120));
  const { bytes } = await demo.pdf(`/api/guias/${guide}/comprobante`);
  const text = textOf(bytes);
  expect(text).toContain('Hay 2 entregas más. Hay 2 imágenes más.');
  expect(text).toContain('Página 2 de 2');
  expect(picturesIn(bytes)).toBe(8);
});
