import { describe, expect } from 'vitest';
import { minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

/** `POST /api/guias/validar` says everything at once (docs/contract.md "Guides"). */

const test = services.extend('validate', { scope: 'file' }, ({ demo }) => async (...Guia: unknown[]) => {
  const { status, body } = await demo.post('/api/guias/validar', { TipoServicio: 'Domicilio', Guia });
  const named = (body.details ?? []).map(({ indice, campo, codigo }) => [indice, campo, codigo]);
  return { status, codigo: body.codigo, named, total: body.detailsTotal };
});
const withPhone = (guide: ReturnType<typeof minimalGuide>, Telefono: string) => ({
  ...guide,
  Remitente: { ...guide.Remitente, Telefono },
});
const uncovered = () => minimalGuide({ CodigoPostal: '99999' });

describe('a validation', () => {
  test('names wrong fields, unknown destinations and quotes that do not fit, of all guides', async ({
    demo,
    validate,
  }) => {
    const quote = await demo.post('/api/guias/cotizar', {
      TipoServicio: 'Domicilio',
      Guia: [{ ...minimalGuide(), Producto: { Contenido: 'x', Peso: 1, Largo: 1, Alto: 1, Ancho: 1 } }],
    });
    const [
      {
        Opciones: [{ Cotizacion } = { Cotizacion: '' }],
      } = { Opciones: [] },
    ] = quote.body.data as {
      Opciones: { Cotizacion: string }[];
    }[];
    const heavier = {
      ...minimalGuide(),
      Cotizacion,
      Producto: { Contenido: 'x', Peso: 2, Largo: 1, Alto: 1, Ancho: 1 },
    };
    expect(await validate(withPhone(uncovered(), '1'), uncovered(), heavier, minimalGuide())).toEqual({
      status: 400,
      codigo: 'campo_formato',
      named: [
        [0, 'Remitente.Telefono', 'campo_formato'],
        [0, 'Destinatario.CodigoPostal', 'sin_cobertura'],
        [1, 'Destinatario.CodigoPostal', 'sin_cobertura'],
        [2, 'Producto.Peso', 'cotizacion_distinta'],
      ],
      total: undefined,
    });
  });

  test('answers as a creation does, whose first problem decides', async ({ demo, validate }) => {
    const body = { TipoServicio: 'Domicilio', Guia: [withPhone(minimalGuide(), '1'), uncovered()] };
    const created = await demo.post('/api/guias/crear', body);
    const validated = await demo.post('/api/guias/validar', body);
    expect([validated.status, validated.body.codigo, validated.body.message]).toEqual([
      created.status,
      created.body.codigo,
      created.body.message,
    ]);
    expect(validated.body.details?.slice(0, 1)).toEqual(created.body.details);
    expect((await validate(uncovered())).named).toEqual([[0, 'Destinatario.CodigoPostal', 'sin_cobertura']]);
  });

  test('fifty dirty orders are put right in one round', async ({ validate }) => {
    const dirty = Array.from({ length: 50 }, (_, i) =>
      withPhone(i % 2 ? uncovered() : minimalGuide({}), '1'),
    );
    const { named, total } = await validate(...dirty);
    expect([named.length, total]).toEqual([100, undefined]);
    const clean = dirty.map((guide, indice) => {
      const wrong = new Set(named.filter(([of]) => of === indice).map(([, campo]) => campo));
      return {
        ...guide,
        Remitente: wrong.has('Remitente.Telefono') ? { Nombre: 'Ana' } : guide.Remitente,
        Destinatario: wrong.has('Destinatario.CodigoPostal')
          ? { ...guide.Destinatario, CodigoPostal: '06600' }
          : guide.Destinatario,
      };
    });
    expect(await validate(...clean)).toMatchObject({ status: 200, named: [] });
  });
});
