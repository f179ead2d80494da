import { expect } from 'vitest';
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
    const { codigo, message, data } = body;
    return { status, ...(codigo && { codigo }), message, ...(data !== undefined && { data }) };
  };
  const withdrawn = {
    status: 404,
    codigo: 'sin_catalogo',
    message: 'El transportista no ofrece el catalogo de codigos postales',
  };
  expect(await ask('01000')).toEqual(withdrawn);
  await store.replace(0, [PEÑON], 'ana');
  const found = { status: 200, message: 'Codigo postal encontrado', data: PEÑON };
  await expect.poll(() => ask('01000'), KNOWN).toEqual(found);
  expect(await ask('%2001000')).toEqual(found);
  expect(await ask('64000')).toEqual({
    status: 404,
    codigo: 'codigo_postal_desconocido',
    message: 'El codigo postal no esta en el catalogo: 64000',
  });
  for (const wrong of ['1000', '010000', 'O1000', '٠١٠٠٠']) {
    expect(await ask(wrong)).toEqual({
      status: 400,
      codigo: 'parametro_invalido',
      message: "El parametro 'cp' debe tener 5 digitos, tambien los ceros del principio",
    });
  }
  await store.replace(1, [{ ...PEÑON, Colonias: ['Zarza'] }], 'ana');
  await api.server.catalogue.look();
  expect((await ask('01000')).data).toMatchObject({ Colonias: ['Zarza'] });
  await store.withdraw(2, 'ana');
  await api.server.catalogue.look();
  expect(await ask('01000')).toEqual(withdrawn);
});
