import fc from 'fast-check';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { branches } from '#services/api/branches/room.ts';
import { quotes } from '#services/api/quotes/room.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { MAX_GUIDES } from '#shared/guides/guide.ts';
import { type Answer, Client, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

/** `POST /api/guias/validar` says everything at once (docs/contract.md "Guides"). */

const GOODS = { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15 };
type Guide = ReturnType<typeof minimalGuide> & Record<string, unknown>;
const UNCOVERED = { CodigoPostal: '99999' };

const test = services
  .extend('validate', { scope: 'file' }, ({ demo }) => (...Guia: unknown[]) => {
    return demo.post('/api/guias/validar', { TipoServicio: 'Domicilio', Guia });
  })
  /** A quote of `GOODS` from `demo` to 06600. */
  .extend('quote', { scope: 'file' }, async ({ demo }) => {
    const Guia = [{ ...minimalGuide(), Producto: GOODS }];
    const { body } = await demo.post('/api/guias/cotizar', { TipoServicio: 'Domicilio', Guia });
    const [{ Opciones }] = body.data as [{ Opciones: [{ Cotizacion: string }] }];
    return Opciones[0].Cotizacion;
  });

const named = ({ body }: Answer) =>
  (body.details ?? []).map(({ indice, campo, codigo }) => [indice, campo, codigo]);
const withPhone = (guide: object, Telefono = '1') => ({ ...guide, Remitente: { Nombre: 'Ana', Telefono } });
const quoted = (Cotizacion: unknown, goods: object = {}) => ({
  ...minimalGuide(),
  Cotizacion,
  Producto: { ...GOODS, ...goods },
});

describe('a validation', () => {
  test('names wrong fields, unknown destinations and quotes that do not fit, of all guides', async ({
    quote,
    validate,
  }) => {
    const answer = await validate(
      withPhone(minimalGuide(UNCOVERED)),
      minimalGuide({ DestinoCode: 'NADA9' }),
      // What changes no price does not hide a quote that does not fit; what changes one does.
      { ...withPhone(quoted(quote, { Peso: 3, Contenido: '', InformacionAdicional: 7 })), Nada: 1 },
      quoted(quote, { Peso: '3', Largo: 31 }),
      minimalGuide(),
      quoted('alterada'),
    );
    expect([answer.status, answer.body.codigo]).toEqual([400, 'campo_formato']);
    expect(named(answer)).toEqual([
      [0, 'Remitente.Telefono', 'campo_formato'],
      [2, 'Nada', 'campo_desconocido'],
      [2, 'Remitente.Telefono', 'campo_formato'],
      [2, 'Producto.Contenido', 'campo_requerido'],
      [2, 'Producto.InformacionAdicional', 'campo_tipo'],
      [3, 'Producto.Peso', 'campo_tipo'],
      [0, 'Destinatario.CodigoPostal', 'sin_cobertura'],
      [1, 'Destinatario.DestinoCode', 'destino_invalido'],
      [2, 'Producto.Peso', 'cotizacion_distinta'],
      [5, 'Cotizacion', 'cotizacion_invalida'],
    ]);
  });

  test('names a wrong TipoServicio beside the rest', async ({ demo, quote }) => {
    const Guia = [withPhone(minimalGuide(UNCOVERED)), quoted(quote, { Peso: 3 })];
    const answer = await demo.post('/api/guias/validar', { TipoServicio: 'Ocurre', Guia });
    expect([answer.body.codigo, named(answer)]).toEqual([
      'tipo_servicio_invalido',
      [
        [undefined, 'TipoServicio', 'tipo_servicio_invalido'],
        [0, 'Remitente.Telefono', 'campo_formato'],
        [0, 'Destinatario.CodigoPostal', 'sin_cobertura'],
      ],
    ]);
  });

  test('warns of each guide whose fields are right, also beside the problems of others', async ({
    demo,
    validate,
  }) => {
    const address = { CodigoPostal: '06600', Calle: 'Reforma', Numero_exterior: '1' };
    const guides = [
      withPhone(minimalGuide()),
      minimalGuide({ ...address, Estado: 'Jalisco' }),
      minimalGuide({ ...UNCOVERED, Nombre: 'Ana 你', Calle: null }),
    ];
    const warned = (answer: Answer) =>
      (answer.body.advertencias as { indice: number; campo: string; codigo: string }[]).map(
        ({ indice, campo, codigo }) => [indice, campo, codigo],
      );
    const warnings = [
      [2, 'Destinatario.Nombre', 'caracteres_no_imprimibles'],
      [1, 'Destinatario.CodigoPostal', 'cp_y_estado_distintos'],
      [2, 'Destinatario.Calle', 'domicilio_incompleto'],
    ];
    const refused = await validate(...guides);
    expect(named(refused)).toEqual([
      [0, 'Remitente.Telefono', 'campo_formato'],
      [2, 'Destinatario.CodigoPostal', 'sin_cobertura'],
    ]);
    expect(warned(refused)).toEqual(warnings);
    // Also of fields that are left out, and with a wrong type of service.
    const lenient = await demo.post(
      '/api/guias/validar',
      { TipoServicio: 'Ocurre', Guia: [guides[0], { ...guides[1], Pedido: '7' }] },
      { prefer: 'handling=lenient' },
    );
    expect(lenient.body.codigo).toBe('tipo_servicio_invalido');
    expect(warned(lenient)).toEqual([[1, 'Pedido', 'campo_desconocido'], warnings[1]]);
  });

  test('answers as a creation, however dirty the body', { timeout: 240_000 }, async ({
    api,
    demo,
    quote,
  }) => {
    const users = [
      demo,
      ...(await Promise.all(['sinorigen', 'inactiva'].map((name) => Client.login(api.url, name)))),
    ];
    const dirt: ((guide: Guide) => object | null)[] = [
      (guide) => withPhone(guide),
      (guide) => ({ ...guide, Estdo: 'x' }),
      (guide) => ({ ...guide, Creado_por: [] }),
      (guide) => ({ ...guide, Producto: { Peso: '2.5' } }),
      (guide) => ({ ...guide, Producto: { ...GOODS, Peso: 9, Contenido: 'x'.repeat(251) } }),
      (guide) => ({ ...guide, Producto: { ...GOODS, Largo: 99 } }),
      (guide) => ({ ...guide, Cotizacion: quote }),
      (guide) => ({ ...guide, Cotizacion: quote, Producto: GOODS }),
      (guide) => ({ ...guide, Cotizacion: 'alterada' }),
      (guide) => ({ ...guide, Cotizacion: 5 }),
      ({ Destinatario, ...guide }) => guide,
      ...[UNCOVERED, { CodigoPostal: '6600' }, { CodigoPostal: '64000' }, { CodigoPostal: null }].map(
        (more) => (guide: Guide) => ({ ...guide, Destinatario: { ...guide.Destinatario, ...more } }),
      ),
      ...['NADA9', ' mty01 ', '', 7].map((DestinoCode) => (guide: Guide) => ({
        ...guide,
        Destinatario: { ...guide.Destinatario, DestinoCode },
      })),
      () => null,
    ];
    const dirtyGuide = fc
      .uniqueArray(fc.constantFrom(...dirt), { maxLength: 3 })
      .map((some) =>
        some.reduce((guide, soil) => (guide && soil(guide as Guide)) as Guide, minimalGuide() as Guide),
      );
    const bodies = fc.record(
      {
        TipoServicio: fc.oneof(
          { weight: 4, arbitrary: fc.constant('Domicilio') },
          fc.constantFrom('the service', 'Ocurre', '', null, 3),
        ),
        Guia: fc.oneof(
          { weight: 20, arbitrary: fc.array(dirtyGuide, { maxLength: 4 }) },
          fc.constantFrom({}, null, 'x'),
        ),
        Origen: fc.constant('GDL01'),
      },
      { requiredKeys: ['Guia'] },
    );
    const one = (...Guia: unknown[]) => ({ TipoServicio: 'Domicilio', Guia });
    const [, withoutOrigin, closedOrigin] = users as [Client, Client, Client];
    const examples: [object, Client, boolean][] = [
      ...dirt.map((soil) => [one(soil(minimalGuide())), demo, false] as [object, Client, boolean]),
      ...[one(), { TipoServicio: 'Domicilio' }, { Guia: [minimalGuide()] }].map(
        (body) => [body, demo, false] as [object, Client, boolean],
      ),
      [one(quoted(quote, { Peso: 9 })), demo, false],
      [one(minimalGuide()), withoutOrigin, false],
      [one(minimalGuide()), closedOrigin, false],
    ];
    const seen = new Set<string | undefined>();
    const said = ({ status, body }: Answer) => ({ status, codigo: body.codigo, message: body.message });
    await fc.assert(
      fc.asyncProperty(
        bodies as fc.Arbitrary<object>,
        fc.constantFrom(...users, demo, demo, demo),
        fc.boolean(),
        async (body, user, lenient) => {
          const headers: Record<string, string> = lenient ? { prefer: 'handling=lenient' } : {};
          const created = await user.post('/api/guias/crear', body, headers);
          const validated = await user.post('/api/guias/validar', body, headers);
          seen.add(created.body.codigo);
          if (created.status === 200) {
            const guides = created.body.data as Record<string, unknown>[];
            const valid = validated.body.data as Record<string, unknown>[];
            expect(valid).toEqual(
              guides.map(({ SEND_SUCU_ORIG, SEND_SUCU_DEST, SEND_FLETE, SEND_TOTAL }, indice) => ({
                ...{ indice, SEND_SUCU_ORIG, SEND_SUCU_DEST },
                ...(SEND_TOTAL !== 0 && { SEND_FLETE, SEND_TOTAL }),
              })),
            );
            expect(validated.body.advertencias).toEqual(created.body.advertencias);
            return;
          }
          expect(said(validated)).toEqual(said(created));
          const first = created.body.details ?? [];
          expect(validated.body.details?.slice(0, first.length) ?? []).toEqual(first);
        },
      ),
      { numRuns: 150, examples },
    );
    for (const codigo of [
      ...[
        undefined,
        'guia_array_faltante',
        'guia_array_vacio',
        'tipo_servicio_requerido',
        'campo_desconocido',
      ],
      ...[
        'origen_no_asignado',
        'origen_invalido',
        'sin_cobertura',
        'cotizacion_invalida',
        'cotizacion_distinta',
      ],
    ]) {
      expect(seen).toContain(codigo);
    }
  });

  test('puts fifty dirty orders right in one round', async ({ demo, quote, validate }) => {
    const dirty = Array.from({ length: 50 }, (_, i) => ({
      ...(i % 7 === 0 ? quoted(quote, { Peso: 9 }) : minimalGuide(i % 3 === 0 ? UNCOVERED : undefined)),
      ...(i % 2 === 0 && { Remitente: { Telefono: '1', Email: 'no tiene' } }),
      ...(i % 5 === 0 && { Pedido: i }),
    }));
    const refused = await validate(...dirty);
    // 25 senders with three problems, 10 unknown fields, 8 quotes, 14 destinations.
    expect([refused.body.details?.length, refused.body.detailsTotal]).toEqual([75 + 10 + 8 + 14, undefined]);
    const right: Record<string, unknown> = {
      'Remitente.Nombre': 'Ana',
      'Destinatario.CodigoPostal': '06600',
      'Producto.Peso': 2.5,
    };
    const clean = structuredClone<object[]>(dirty) as Record<string, Record<string, unknown> | undefined>[];
    for (const { indice = 0, campo = '' } of refused.body.details ?? []) {
      const [section = '', name] = campo.split('.');
      const guide = clean[indice] ?? {};
      if (name === undefined) delete guide[section];
      else guide[section] = { ...guide[section], [name]: right[campo] ?? '' };
    }
    expect((await validate(...clean)).body).toMatchObject({ response: 'OK', message: 'Guias validas: 50' });
    const created = await demo.created(...clean);
    expect(created.map(({ SEND_TOTAL }) => SEND_TOTAL > 0)).toEqual(dirty.map((_, i) => i % 7 === 0));
  });

  test('names 500 problems, and says how many there are', async ({ demo, validate }) => {
    const Guia = Array.from({ length: MAX_GUIDES }, () => withPhone({ ...minimalGuide(UNCOVERED), Nada: 1 }));
    const { status, body } = await validate(...Guia);
    expect([status, body.details?.length, body.detailsTotal]).toEqual([400, 500, 1_500]);
    const created = await demo.create(Guia);
    expect([created.body.details?.length, created.body.detailsTotal]).toEqual([50, 1_000]);
  });

  test('answers what it knows while what later checks need is away', async ({
    api,
    demo,
    quote,
    startApi,
  }) => {
    const { url } = await startApi({ BRANCHES_URL: 'http://127.0.0.1:1' });
    const alone = await Client.login(url);
    const validateAlone = (guide: object) =>
      alone.post('/api/guias/validar', { TipoServicio: 'Domicilio', Guia: [guide] });
    expect(named(await validateAlone(withPhone(minimalGuide())))).toEqual([
      [0, 'Remitente.Telefono', 'campo_formato'],
    ]);
    expect((await validateAlone(minimalGuide())).status).toBe(503);

    const spy = vi.spyOn(api.contextOf(quotes).tariffs, 'isWithdrawn').mockImplementation(() => {
      throw new DomainError('unavailable');
    });
    onTestFinished(() => spy.mockRestore());
    const Guia = [quoted(quote), minimalGuide(UNCOVERED)];
    const send = (guides: object[]) =>
      demo.post('/api/guias/validar', { TipoServicio: 'Domicilio', Guia: guides });
    expect(named(await send(Guia))).toEqual([[1, 'Destinatario.CodigoPostal', 'sin_cobertura']]);
    expect((await send(Guia.slice(0, 1))).status).toBe(503);
  });

  test("has no other request's warnings if both are answered by one error", async ({ api, demo }) => {
    const shared = new DomainError('unavailable');
    const spy = vi.spyOn(api.contextOf(branches).branches, 'resolve').mockRejectedValue(shared);
    onTestFinished(() => spy.mockRestore());
    const address = { CodigoPostal: '06600', Calle: 'Reforma', Numero_exterior: '1', Estado: 'Jalisco' };
    const answers = await Promise.all(
      [minimalGuide(address), minimalGuide({ CodigoPostal: '06600', Nombre: 'Ana 你' }), minimalGuide()].map(
        (guide) => demo.post('/api/guias/validar', { TipoServicio: 'Domicilio', Guia: [guide] }),
      ),
    );
    const told = ({ status, body }: Answer) => [
      status,
      (body.advertencias as { codigo: string }[] | undefined)?.map(({ codigo }) => codigo),
    ];
    expect(answers.map(told)).toEqual([
      [503, ['cp_y_estado_distintos']],
      [503, ['caracteres_no_imprimibles']],
      [503, undefined],
    ]);
    expect(shared.warnings).toBeUndefined();
  });
});
