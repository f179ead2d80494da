import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { pickupNumbers } from '#services/api/pickups/pickup-number.ts';
import { PICKUPS, type Pickup } from '#shared/pickups/pickup-model.ts';
import { driverOf, modelOf } from '#shared/stores/collection.ts';
import { Client } from '#test/fixtures/client.ts';
import { codesOf, HEAD_DPI, pagesOf } from '#test/fixtures/labels/pictures.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** The list of a branch and a day, as the label worker prints it for the driver. */

const DAY = '2026-12-01';
const test = printingTest
  .extend('staff', { scope: 'file' }, ({ api }) => Client.login(api.url, 'operaciones'))
  /** Stores so many pick-ups of a branch and a window. @returns their numbers in the order of the list. */
  .extend('stored', { scope: 'file' }, ({ stores }) => async (code: string, from: string, count: number) => {
    const at = new Date();
    const pickups = Array.from(
      { length: count },
      (_, i): Pickup => ({
        _id: pickupNumbers.generate(),
        ...{ creation: `${i}`, username: 'demo', account: 'demo', createdUtc: at },
        createdAt: '2026-11-30T10:00:00',
        branch: { code, name: 'Monterrey Centro' },
        window: {
          date: DAY,
          from,
          to: '17:00',
          zone: 'America/Mexico_City',
          closesAt: at,
          startsAt: at,
          endsAt: at,
        },
        automatic: false,
        address: {
          ...{ Nombre: 'Ana López', Celular: '8112345678', CodigoPostal: '64000', Municipio: 'Monterrey' },
          ...{ Calle: 'Av. Juárez', Numero_exterior: '120', Colonia: 'Centro' },
        },
        ...(i === 0 && { notes: 'Preguntar en la recepción', weight: 48.5, manifest: 'M48291365074' }),
        packages: 12,
        status: i === 1 ? 'Cancelada' : 'Programada',
        history: [],
        version: 1,
      }),
    );
    await driverOf(modelOf(stores.mongo, PICKUPS)).insertMany(pickups);
    return pickups.map(({ _id }) => _id);
  });
const textOf = (pdf: Uint8Array) =>
  execFileSync('pdftotext', ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });

/** `UPDATE_PICTURES=1 npm test -- test/api/pickups/pickups-pdf` takes the picture of the guide for integrators anew. */
async function takePicture(pdf: Uint8Array): Promise<void> {
  const upperHalf = ['-x', '0', '-y', '0', '-W', '850', '-H', '560'];
  const png = execFileSync('pdftoppm', ['-png', '-r', '100', '-f', '1', '-l', '1', ...upperHalf, '-'], {
    input: pdf,
    maxBuffer: 2 ** 25,
  });
  await writeFile(join(repoRoot, 'services/api/pickups/pictures/lista.png'), png);
}

test('has a code of each pick-up, its window, whom to ask for, where, and what', async ({
  staff,
  stored,
}) => {
  const numbers = await stored('MTY01', '10:00', 10);
  const path = `/api/recolecciones/del-dia/pdf?sucursal=mty01&fecha=${DAY}`;
  const { status, headers, bytes } = await staff.pdf(path);
  expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    ...[200, 'application/pdf', `inline; filename="recolecciones-MTY01-${DAY}.pdf"`],
  ]);
  const pages = await pagesOf(bytes, HEAD_DPI, { pages: [1, 2] });
  const codes = (await codesOf(pages)).flat().map((code) => code.replace('CODE-128:', ''));
  expect(codes.sort()).toEqual([...numbers].sort());
  const text = textOf(bytes);
  for (const words of [
    ...['MTY01 · Monterrey Centro', '01/12/2026', '10 recolecciones', 'Página 2 de 2', '10:00–17:00'],
    ...['Ana López · 8112345678', 'Av. Juárez, 120, Centro', 'C. P. 64000, Monterrey', '12 paquetes'],
    ...['48.5 kg', 'manifiesto M48291365074', 'Preguntar en la recepción', 'CANCELADA'],
  ]) {
    expect(text).toContain(words);
  }
  if (process.env.UPDATE_PICTURES) await takePicture(bytes);
  const tag = { 'if-none-match': headers.get('etag') ?? '' };
  expect((await staff.pdf(path, tag)).status).toBe(304);
});

test('of a day without any says so', async ({ staff }) => {
  const { bytes } = await staff.pdf('/api/recolecciones/del-dia/pdf?sucursal=GDL01&fecha=2026-12-02');
  expect(textOf(bytes)).toContain('Nadie ha pedido una recolección para este día.');
});

test('has 500 at most, and those of a window by themselves', async ({ staff, stored }) => {
  await stored('PUE01', '09:00', 1);
  const path = `/api/recolecciones/del-dia/pdf?sucursal=PUE01&fecha=${DAY}`;
  const numbers = await stored('PUE01', '15:00', 500);
  const { status, body } = await staff.get(path);
  expect([status, body.codigo, body.message]).toEqual([
    ...[400, 'recolecciones_demasiadas', 'Hay 501 recolecciones, y un PDF tiene hasta 500'],
  ]);
  const { bytes } = await staff.pdf(`${path}&ventana=15:00`);
  const printed = [...textOf(bytes).matchAll(/R \d{3} \d{4} \d{4}/g)].map(([each]) =>
    each.replaceAll(' ', ''),
  );
  expect(printed.sort()).toEqual([...numbers].sort());
});
