import { describe, expect } from 'vitest';
import { CORE } from '#services/api/app.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** The core stands by itself (docs/architecture.md "Rooms"). */

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
