import { expect } from 'vitest';
import { branches } from '#services/api/branches/room.ts';
import { PostalCodeStore } from '#shared/branches/postal-code-store.ts';
import { test as services } from '#test/fixtures/services.ts';

/** `GET /api/codigos-postales/{cp}`, while operators load and withdraw the catalogue. */

const test = services.extend('store', { scope: 'file' }, ({ stores }) => new PostalCodeStore(stores.mongo));

const PEÑON = {
  CodigoPostal: '01000',
  Estado: 'Sierra',
  Municipio: 'Peñón',
  Ciudad: '',
  Colonias: ['Árbol Grande', 'Ñandú'],
};
/** Generous: a load is known within ten seconds. */
const KNOWN = { timeout: 30_000, interval: 100 };

test('a postal code is answered from the catalogue that is in force', async ({ api, demo, store }) => {
  const ask = async (cp: string) => {
    const { status, body } = await demo.get(`/api/codigos-postales/${cp}`);
    return { status, codigo: body.codigo, data: body.data };
  };
  const withdrawn = { status: 404, codigo: 'sin_catalogo' };
  expect(await ask('01000')).toEqual(withdrawn);
  await store.replace(0, [PEÑON], 'ana');
  const found = { status: 200, data: PEÑON };
  await expect.poll(() => ask('01000'), KNOWN).toEqual(found);
  expect(await ask('%2001000')).toEqual(found);
  expect(await ask('64000')).toEqual({ status: 404, codigo: 'codigo_postal_desconocido' });
  for (const wrong of ['1000', '010000', 'O1000', '٠١٠٠٠']) {
    expect(await ask(wrong)).toEqual({ status: 400, codigo: 'parametro_invalido' });
  }
  await store.replace(1, [{ ...PEÑON, Colonias: ['Zarza'] }], 'ana');
  await api.contextOf(branches).catalogue.look();
  expect((await ask('01000')).data).toMatchObject({ Colonias: ['Zarza'] });
  await store.withdraw(2, 'ana');
  await api.contextOf(branches).catalogue.look();
  expect(await ask('01000')).toEqual(withdrawn);
});
