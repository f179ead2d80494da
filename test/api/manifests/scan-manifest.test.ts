import { describe, expect } from 'vitest';
import { Client } from '#test/fixtures/client.ts';
import { event, resultsOf, wordsOf } from '#test/fixtures/events.ts';
import { manifestOf, test as manifests, newGuides } from '#test/fixtures/manifests.ts';

type Told = { Tipo: string; Id: string; Manifiesto?: string };

const test = manifests
  .extend('scan', { scope: 'file' }, ({ scanner }) => (Manifiesto: unknown, more: object = {}) => {
    const told = { Manifiesto, Tipo: 'Recolectado', Ocurrido: new Date().toISOString(), ...more };
    return scanner.post('/api/eventos', told);
  })
  /** A new manifest of so many guides. */
  .extend('listed', { scope: 'file' }, ({ demo, make }) => async (count: number) => {
    const guides = await newGuides(demo, count);
    return { guides, number: manifestOf(await make(guides)).Manifiesto };
  });

describe('one scan of a manifest', () => {
  test('picks up each of its guides, and a second one repeats nothing', async ({
    demo,
    listed,
    scan,
    status,
  }) => {
    const { guides, number } = await listed(3);
    const first = await scan(number, { Sucursal: 'mex01' });
    expect(first.body.message).toBe('Eventos registrados: 3');
    expect(resultsOf(first)).toEqual(
      guides.map((SEND_GUIA, indice) => ({ indice, SEND_GUIA, Id: number, resultado: 'registrado' })),
    );
    expect(await Promise.all(guides.map(status))).toEqual(Array(3).fill('Recolectado'));
    // At another moment, and elsewhere.
    expect(wordsOf(await scan(number, { Sucursal: 'GDL01' }))).toEqual(Array(3).fill('repetido'));
    const events = (await demo.get(`/api/guias/${guides[0]}/eventos`)).body.data as Told[];
    expect(events).toMatchObject([
      { Tipo: 'Recolectado', Id: number, Manifiesto: number, Sucursal: 'MEX01' },
    ]);
  });

  test('leaves out what is missing, which a later scan picks up', async ({ listed, scan, status }) => {
    const { guides, number } = await listed(3);
    const first = await scan(number, { Faltan: [guides[1]] });
    expect(resultsOf(first).map(({ indice }) => indice)).toEqual([0, 2]);
    expect(await status(guides[1] as string)).toBe('Documentado');
    expect(wordsOf(await scan(number))).toEqual(['repetido', 'registrado', 'repetido']);
    expect(await status(guides[1] as string)).toBe('Recolectado');
  });

  test('says which guides are cancelled', async ({ demo, listed, scan }) => {
    const { guides, number } = await listed(2);
    await demo.post(`/api/guias/${guides[0]}/cancelar`, '');
    expect(resultsOf(await scan(number))).toEqual([
      {
        ...{ indice: 0, SEND_GUIA: guides[0], Id: number, resultado: 'rechazado' },
        ...{ campo: 'Guia', codigo: 'guia_cancelada', message: expect.any(String) },
      },
      { indice: 1, SEND_GUIA: guides[1], Id: number, resultado: 'registrado' },
    ]);
  });

  test('of 500 guides is one request', async ({ listed, scan }) => {
    const { number } = await listed(500);
    expect((await scan(number)).body.message).toBe('Eventos registrados: 500');
    const again = await scan(number);
    expect(again.body.message).toBe('Eventos registrados: 0');
    expect(wordsOf(again)).toEqual(Array(500).fill('repetido'));
  });

  test('can be annulled of one guide, and is then not repeated', async ({
    listed,
    register,
    scan,
    status,
  }) => {
    const { guides, number } = await listed(1);
    await scan(number);
    const [guide = ''] = guides;
    expect(wordsOf(await register(event(guide, 'Anulacion', { Anula: number })))).toEqual(['registrado']);
    expect(await status(guide)).toBe('Documentado');
    expect(wordsOf(await scan(number))).toEqual(['repetido']);
    expect(wordsOf(await register(event(guide, 'Recolectado')))).toEqual(['registrado']);
  });

  test('conflicts with another event of the same Id', async ({ listed, register, scan }) => {
    const { guides, number } = await listed(2);
    await register(event(guides[0] as string, 'EnTransito', { Id: number }));
    expect(wordsOf(await scan(number))).toEqual(['evento_conflicto', 'registrado']);
  });

  test('of a test account is refused', async ({ api, scan }) => {
    const tester = await Client.login(api.url, 'prueba');
    const { Manifiesto } = manifestOf(
      await tester.post('/api/manifiestos', { Guias: await newGuides(tester, 1) }),
    );
    const { status, body } = await scan(Manifiesto);
    expect([status, body.codigo, body.details?.[0]?.campo]).toEqual([409, 'guia_de_prueba', 'Manifiesto']);
  });

  test.for<[string, object, number, string, string]>([
    ['of nobody', { Manifiesto: 'M48291365074' }, 404, 'manifiesto_no_encontrado', 'Manifiesto'],
    [
      'with a wrong check digit',
      { Manifiesto: 'M48291365075' },
      404,
      'manifiesto_no_encontrado',
      'Manifiesto',
    ],
    ['by a number', { Manifiesto: 7 }, 400, 'campo_tipo', 'Manifiesto'],
    ['with another type', { Tipo: 'Entregado' }, 400, 'campo_formato', 'Tipo'],
    ['without a type', { Tipo: null }, 400, 'campo_requerido', 'Tipo'],
    ['without a moment', { Ocurrido: '' }, 400, 'campo_requerido', 'Ocurrido'],
    ['with events beside it', { Eventos: [] }, 400, 'campo_desconocido', 'Eventos'],
    ['with a text for what is missing', { Faltan: '1' }, 400, 'campo_formato', 'Faltan'],
    ['with a number for what is missing', { Faltan: [7] }, 400, 'campo_tipo', 'Faltan'],
  ])('is refused %s', async ([, more, status, codigo, campo], { listed, scan }) => {
    const answer = await scan((await listed(1)).number, more);
    expect([answer.status, answer.body.codigo, answer.body.details?.[0]?.campo]).toEqual([
      ...[status, codigo, campo],
    ]);
  });

  test('names each missing guide that is not of the manifest', async ({ listed, newGuide, scan, status }) => {
    const { guides, number } = await listed(1);
    const [own = ''] = guides;
    const { status: http, body } = await scan(number, { Faltan: [own, await newGuide()] });
    expect([http, body.details]).toMatchObject([
      400,
      [{ indice: 1, campo: 'Faltan', codigo: 'guia_fuera_del_manifiesto' }],
    ]);
    expect(await status(own)).toBe('Documentado');
  });
});
