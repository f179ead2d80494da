import { describe, expect } from 'vitest';
import { evidencePersonalData } from '#services/api/evidence/personal-data.ts';
import { evidence as room } from '#services/api/evidence/room.ts';
import { generateGuideNumber } from '#services/api/guides/guide-number.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { textOf } from '#test/fixtures/page-visits.ts';
import { test as evidence, listedOf, outcomeOf, pathOf, put, storedOf } from './fixture.ts';
import { declaring, jpeg, png, withExif } from './pictures.ts';

/** What becomes of a picture of an event, and who sees it. */

/** The number of no guide. */
const nobodys = generateGuideNumber();

const test = evidence
  .extend('other', { scope: 'file' }, ({ api }) => Client.login(api.url, 'otro'))
  .extend(
    'picture',
    { scope: 'file' },
    ({ demo }) =>
      (guide: string, picture = 'firma', id = 'e1') =>
        demo.pdf(`/api/guias/${guide}/evidencia/${id}/${picture}`),
  );

describe('a picture', () => {
  test('is kept as a JPEG without what else its file says, and seen by the account', async ({
    delivered,
    demo,
    picture,
    send,
  }) => {
    const guide = await delivered();
    const answer = await send(guide, 'firma', withExif(await jpeg(60, 40), 6));
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        response: 'OK',
        message: 'Evidencia guardada',
        data: { Evento: 'e1', Imagen: 'firma', Ancho: 40, Alto: 60, Bytes: expect.any(Number) },
      },
    ]);
    const listed = await demo.get(`/api/guias/${guide}/evidencia`);
    expect(listedOf(listed)).toEqual([
      {
        ...{ Evento: 'e1', Imagen: 'firma', Tipo: 'Entregado', Ancho: 40, Alto: 60 },
        ...{ Ocurrido: expect.any(String), Registrado: expect.any(String) },
        ...{ Bytes: (answer.body.data as { Bytes: number }).Bytes, Anulada: false },
      },
    ]);
    const { status, headers, bytes } = await picture(guide);
    expect([status, headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(bytes.subarray(0, 2).toString('hex')).toBe('ffd8');
    expect(bytes.includes('GPS')).toBe(false);
  });

  test('is one more event of the guide, which changes nothing else', async ({
    delivered,
    demo,
    send,
    status,
  }) => {
    const guide = await delivered();
    await send(guide, 'foto1');
    const { body } = await demo.get(`/api/guias/${guide}/eventos`);
    expect(body.data).toMatchObject([
      { Id: 'e1', Tipo: 'Entregado' },
      { Id: 'evidencia:e1:foto1', Tipo: 'Evidencia', De: 'e1', Imagen: 'foto1', Anulado: false },
    ]);
    const feed = (await demo.get('/api/eventos?limite=500')).body.data as { SEND_GUIA: string }[];
    expect(feed.filter(({ SEND_GUIA }) => SEND_GUIA === guide)).toMatchObject([
      { Tipo: 'Entregado', Version: 1 },
      { Tipo: 'Evidencia', Version: 2, SEND_ESTATUS: 'Entregado', De: 'e1', Imagen: 'foto1' },
    ]);
    expect(await status(guide)).toBe('Entregado');
  });

  test('that is sent again is the same 200, and another in its place is refused', async ({
    delivered,
    demo,
    send,
    stores,
  }) => {
    const guide = await delivered();
    const first = await send(guide);
    expect((await send(guide)).body).toEqual(first.body);
    expect(outcomeOf(await send(guide, 'firma', png(30, 30)))).toEqual([409, 'evidencia_conflicto']);
    expect(outcomeOf(await send(guide, 'foto1', png(30, 30)))).toEqual([200, 'Evidencia guardada']);
    expect(listedOf(await demo.get(`/api/guias/${guide}/evidencia`)).map(({ Imagen }) => Imagen)).toEqual([
      'firma',
      'foto1',
    ]);
    expect(await storedOf(stores.mongo, guide)).toMatchObject({ pictures: 4 });
  });

  test('that several requests send at once is one', async ({ delivered, demo, send, stores }) => {
    const guide = await delivered();
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(guide)));
    expect(answers.map(outcomeOf)).toEqual(answers.map(() => [200, 'Evidencia guardada']));
    expect(listedOf(await demo.get(`/api/guias/${guide}/evidencia`))).toHaveLength(1);
    const { evidence, pictures } = await storedOf(stores.mongo, guide);
    expect([evidence.length, pictures, evidence[0]?.openSince]).toEqual([1, 2, undefined]);
  });

  test.for([
    ['Incidencia', { Motivo: 'destinatario_ausente' }],
    ['Devuelto', { Motivo: 'rechazado' }],
  ] as const)('may be of an event %s', async ([type, more], { demo, guideWith, send }) => {
    const guide = await guideWith([type, { Id: 'e1', ...more }]);
    expect((await send(guide, 'foto1')).status).toBe(200);
    expect(listedOf(await demo.get(`/api/guias/${guide}/evidencia`))).toMatchObject([{ Tipo: type }]);
  });

  test('of an annulled event stays, and says so', async ({ delivered, demo, picture, register, send }) => {
    const guide = await delivered();
    await send(guide);
    await register(event(guide, 'Anulacion', { Anula: 'e1' }));
    expect(listedOf(await demo.get(`/api/guias/${guide}/evidencia`))).toMatchObject([{ Anulada: true }]);
    expect((await picture(guide)).status).toBe(200);
  });
});

describe('a picture is refused, and nothing of it is kept,', () => {
  test.for<[string, Buffer | string, number, string]>([
    ['if it is a PDF', '%PDF-1.7 ', 415, 'imagen_de_otro_tipo'],
    ['if it is a script', '<script>alert(1)</script>', 415, 'imagen_de_otro_tipo'],
    ['if it is empty', '', 415, 'imagen_de_otro_tipo'],
    ['if it is cut', png().subarray(0, 90), 400, 'imagen_cortada'],
    ['if it declares 100 MP', declaring(10_000, 10_000), 400, 'imagen_con_muchos_pixeles'],
    ['if its pixels cannot be decoded', declaring(3_000, 3_000), 400, 'imagen_ilegible'],
    ['if it has more than 2 MiB', Buffer.alloc(2 * 1024 * 1024 + 1), 413, 'imagen_muy_grande'],
  ])('%s', async ([_, bytes, ...outcome], { delivered, demo, send, stores }) => {
    const guide = await delivered();
    expect(outcomeOf(await send(guide, 'firma', Buffer.from(bytes)))).toEqual(outcome);
    expect(await storedOf(stores.mongo, guide)).toEqual({ evidence: [], pictures: 0 });
    expect(listedOf(await demo.get(`/api/guias/${guide}/evidencia`))).toEqual([]);
  });

  test('if it comes as JSON, as a form, or without a type', async ({ delivered, scanner }) => {
    const path = pathOf(await delivered(), 'e1', 'firma');
    for (const type of [
      'application/json',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      '',
    ]) {
      expect(outcomeOf(await put(scanner, path, png(), type))).toEqual([415, 'imagen_de_otro_tipo']);
    }
  });

  test('if its event is unknown, is none that proves anything, or is a picture itself', async ({
    guideWith,
    scanner,
    send,
  }) => {
    const guide = await guideWith(['EnTransito', { Id: 't1' }], ['Entregado', { Id: 'e1' }]);
    await send(guide);
    const outcomes = [
      await send(guide, 'firma', png(), 't1'),
      await send(guide, 'firma', png(), 'nobody'),
      await send(guide, 'firma', png(), 'evidencia:e1:firma'),
      await send(guide, 'foto4'),
      await put(scanner, pathOf(nobodys, 'e1', 'firma')),
      await put(scanner, pathOf('012345678905', 'e1', 'firma')),
    ];
    expect(outcomes.map(outcomeOf)).toEqual([
      [409, 'evento_sin_evidencia'],
      [404, 'evento_no_encontrado'],
      [404, 'evento_no_encontrado'],
      [404, 'imagen_no_encontrada'],
      [404, 'guia_no_encontrada'],
      [409, 'guia_de_prueba'],
    ]);
  });

  test('if its account has stored its pictures of 24 hours', async ({ delivered, startApi, stores }) => {
    await new UserStore(stores.mongo).grant('sinorigen', ['eventos.create']);
    const { url } = await startApi({ PICTURES_PER_DAY_PER_ACCOUNT: '1' });
    const few = await Client.login(url, 'sinorigen');
    const guide = await delivered();
    expect((await put(few, pathOf(guide, 'e1', 'firma'))).status).toBe(200);
    const { status, body, headers } = await put(few, pathOf(guide, 'e1', 'foto1'));
    expect([status, body.codigo, Number(headers.get('retry-after')) > 80_000]).toEqual([
      429,
      'cuota_excedida',
      true,
    ]);
    expect((await put(few, pathOf(guide, 'e1', 'firma'))).status).toBe(200); // the same again counts nothing
  });
});

describe('whoever may not see a guide', () => {
  test('sees no picture of it, or that there is one', async ({ delivered, other, send }) => {
    const guide = await delivered();
    await send(guide);
    for (const path of ['evidencia', 'evidencia/e1/firma', 'comprobante']) {
      const [theirs, none] = [
        await other.get(`/api/guias/${guide}/${path}`),
        await other.get(`/api/guias/${nobodys}/${path}`),
      ];
      expect([theirs.status, { ...theirs.body, requestId: '' }]).toEqual([
        404,
        { ...none.body, requestId: '' },
      ]);
    }
  });

  test('sees them with soporte.personas, which the audit log says', async ({
    api,
    delivered,
    send,
    stores,
  }) => {
    const users = new UserStore(stores.mongo);
    await users.grant('lectura', ['soporte.personas']);
    const support = await Client.login(api.url, 'lectura');
    const guide = await delivered();
    await send(guide);
    expect((await support.pdf(`/api/guias/${guide}/evidencia/e1/firma`)).status).toBe(200);
    const trail = stores.mongo.collection('audit');
    await expect
      .poll(() =>
        trail.countDocuments({ action: 'guide.read-other', actor: 'lectura', 'details.guide': guide }),
      )
      .toBe(1);
  });
});

describe('the tracking page', () => {
  test('says that somebody signed, and no more once the delivery is annulled', async ({
    api,
    delivered,
    register,
    send,
  }) => {
    const page = async (guide: string) => textOf(await (await fetch(`${api.url}/rastreo/${guide}`)).text());
    const guide = await delivered();
    await send(guide, 'foto1');
    expect(await page(guide)).not.toContain('con firma');
    await send(guide, 'firma');
    expect(await page(guide)).toContain('Entregado, con firma');
    await register(event(guide, 'Anulacion', { Anula: 'e1' }), event(guide, 'Entregado', { Id: 'e2' }));
    expect(await page(guide)).not.toContain('con firma');
  });
});

describe('a guide that an operator moved', () => {
  test('shows its pictures to the account that has it now', async ({ delivered, other, send, stores }) => {
    const guide = await delivered();
    await send(guide);
    await stores.mongo
      .collection<{ _id: string }>('guides')
      .updateOne({ _id: guide }, { $set: { account: 'otro' } });
    expect(listedOf(await other.get(`/api/guias/${guide}/evidencia`))).toHaveLength(1);
    expect((await send(guide, 'foto1')).status).toBe(200);
    expect(listedOf(await other.get(`/api/guias/${guide}/evidencia`))).toHaveLength(2);
  });
});

describe('a test account', () => {
  test('has sample pictures, which no document holds', async ({ api, stores }) => {
    const tester = await Client.login(api.url, 'prueba');
    const [{ SEND_GUIA: guide } = { SEND_GUIA: '' }] = await tester.created(minimalGuide());
    await tester.post(`/api/guias/${guide}/simular`, { Escenario: 'entrega_con_firma' });
    const listed = listedOf(await tester.get(`/api/guias/${guide}/evidencia`));
    expect(listed).toMatchObject([
      { Imagen: 'firma', Tipo: 'Entregado', Ancho: 720, Anulada: false },
      { Imagen: 'foto1', Tipo: 'Entregado', Ancho: 720, Anulada: false },
    ]);
    for (const { Evento, Imagen, Bytes } of listed) {
      const { bytes } = await tester.pdf(`/api/guias/${guide}/evidencia/${Evento}/${Imagen}`);
      expect(bytes.length).toBe(Bytes);
    }
    expect(await storedOf(stores.mongo, guide)).toEqual({ evidence: [], pictures: 0 });
  });
});

describe('personal data', () => {
  test('that a person asks for say where each picture is', async ({ delivered, demo, send, stores }) => {
    const { besideGuides } = evidencePersonalData;
    if (typeof besideGuides === 'string') throw new Error('The room knows nobody');
    const guide = await delivered();
    await send(guide);
    await send(guide, 'foto1');
    const records = await besideGuides.ofGuides(stores.mongo, [guide]);
    const shown = records.map(({ shownTo }) => shownTo([]) as { Imagen: string; Direccion: string });
    expect(shown.map(({ Imagen }) => Imagen)).toEqual(['firma', 'foto1']);
    for (const { Direccion } of shown) expect((await demo.pdf(Direccion)).status).toBe(200);
  });

  test('are gone after retention or an erasure: first nobody sees them, then a sweep deletes the bytes', async ({
    api,
    delivered,
    demo,
    picture,
    send,
    stores,
  }) => {
    const { besideGuides } = evidencePersonalData;
    if (typeof besideGuides === 'string') throw new Error('The room forgets nobody');
    const guide = await delivered();
    await send(guide);
    const { evidence } = await storedOf(stores.mongo, guide);
    await besideGuides.anonymise(
      stores.mongo,
      evidence.map(({ _id }) => _id),
    );
    expect(listedOf(await demo.get(`/api/guias/${guide}/evidencia`))).toMatchObject([
      { Imagen: 'firma', Ancho: 0, Bytes: 0, Retirada: true },
    ]);
    expect((await picture(guide)).status).toBe(404);
    const { sweep } = api.contextOf(room);
    await finishCut({ sweep: (log) => sweep.run(log) });
    const after = await storedOf(stores.mongo, guide);
    expect([after.pictures, after.evidence[0]?.openSince, after.evidence[0]?.sent]).toEqual([
      0,
      undefined,
      undefined,
    ]);
    expect(outcomeOf(await send(guide))).toEqual([409, 'evidencia_conflicto']);
  });
});
