import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { preferenceOf } from '#services/api/guides/guide-bodies.ts';
import { parseGuideRequest } from '#services/api/guides/guide-request.ts';
import { isBlank } from '#services/api/http/body.ts';
import { closestName } from '#services/api/http/closest-name.ts';
import { requestErrors } from '#services/api/http/errors.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { Guide, SentGuide } from '#shared/guides/guide.ts';
import { toDetails } from '#shared/http/http-errors.ts';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';

import { fullGuide, minimalGuide } from '#test/fixtures/client.ts';

const request = (...Guia: unknown[]) => ({ TipoServicio: 'Domicilio', Guia });

/** A full guide with one field replaced. @param field its section and its name, with a dot between. */
function guideWith(field: string, value: unknown) {
  const [section = '', name = ''] = field.split('.');
  const guide: Record<string, object | string> = fullGuide();
  return { ...guide, [section]: { ...(guide[section] as object), [name]: value } };
}

/** What becomes of a field, or the code of its refusal. */
async function kept(field: string, value: unknown): Promise<unknown> {
  const [section = '', name = ''] = field.split('.');
  try {
    const { guides } = await parseGuideRequest(request(guideWith(field, value)));
    return Object(guides[0])[section][name];
  } catch (error) {
    return (error as DomainError).problems[0]?.code;
  }
}

const INVISIBLE = ['\u200b', '\u3164', '\u202e', '\u00ad', '\u{e0041}', '\u0301', ' \u200b \n\u2060'];

test.for<[rule: string, fields: string[], rows: [sent: unknown, kept: unknown][]]>([
  [
    'a phone is kept as its digits',
    ['Remitente.Telefono', 'Remitente.Celular', 'Destinatario.Telefono', 'Destinatario.Celular'],
    [
      ['55 1234 5678', '5512345678'],
      ['+52 55.1234.5678', '525512345678'],
      [' 55\u00a01234\t5678 ', '5512345678'],
      ['++525512345678', 'field-invalid'],
      ['55 1234 5678 ext. 3', 'field-invalid'],
      ['1234567890123456', 'field-invalid'],
      [5512345678, 'field-type'],
    ],
  ],
  [
    'an RFC is kept without blanks and dashes, composed, in upper case',
    ['Destinatario.RFC'],
    [
      ['pell800101ab1', 'PELL800101AB1'],
      [' PELL 800101 AB1 ', 'PELL800101AB1'],
      ['PELL–800101—AB1', 'PELL800101AB1'],
      ['n\u0303un800101ab1', 'ÑUN800101AB1'],
      ['PE800101AB1', 'field-invalid'],
      ['PELL8001O1AB1', 'field-invalid'],
    ],
  ],
  [
    'invisible characters alone are no text where one is required',
    ['Remitente.Nombre', 'Destinatario.Nombre', 'Producto.Contenido'],
    INVISIBLE.map((sent) => [sent, 'field-required']),
  ],
  [
    'invisible characters alone are absent elsewhere, and kept beside others',
    ['Destinatario.Referencias'],
    INVISIBLE.flatMap((sent) => [
      [sent, undefined],
      [`${sent}Ana`, `${sent}Ana`.trim().replace('\n', ' ')],
    ]),
  ],
  [
    'line breaks and tabs in a text are one blank',
    ['Destinatario.Referencias'],
    [
      ['Portón verde\r\n2o piso', 'Portón verde 2o piso'],
      ['a\n\n\t\r\nb', 'a b'],
      ['a\u2028b\u2029c\u0085d\u000be\u000cf', 'a b c d e f'],
      ['\r\n', undefined],
      ['\u0085a\u0085', 'a'],
      ['a\u0000b', 'field-invalid'],
      ['x'.repeat(251), 'field-too-long'],
      [`x${'\n'.repeat(400)}y`, 'x y'],
      [`x${'\n'.repeat(2_000)}y`, 'field-too-long'],
    ],
  ],
  [
    '0 in a measure means absent',
    ['Producto.Peso', 'Producto.Largo', 'Producto.Alto', 'Producto.Ancho'],
    [
      [0, undefined],
      [-0, undefined],
      [0.0001, 0.0001],
      [-1, 'field-invalid'],
      ['0', 'field-type'],
    ],
  ],
  ['0 in the declared value is a value', ['Producto.ValorDeclarado'], [[0, 0]]],
])('%s', async ([, fields, rows]) => {
  for (const field of fields) {
    const found = await Promise.all(rows.map(async ([sent]) => [sent, await kept(field, sent)]));
    expect(found, field).toEqual(rows);
  }
});

test('whatever a client sends is kept in the stored form, or refused as the published schema refuses it', async () => {
  const any = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', '\u0085', '\u2028', '\ufeff'), maxLength: 6 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(0, -0, 0.0004, 1e9, 999_999_999.99, null, ''),
    fc.jsonValue({ maxDepth: 2 }),
  );
  /** Half of the values match the published pattern, where the field has one. */
  const valuesOf = (schema: object) =>
    'pattern' in schema ? fc.oneof(fc.stringMatching(new RegExp(String(schema.pattern))), any) : any;
  const field = fc.oneof(
    ...Object.entries(SentGuide.properties).flatMap(([section, schema]) =>
      Object.entries<object>('properties' in schema ? schema.properties : {}).map(([name, each]) =>
        fc.tuple(fc.constant(`${section}.${name}`), valuesOf(each)),
      ),
    ),
  );
  const isStored = strictAjv().compile(Guide);
  const isSent = strictAjv().compile(SentGuide);
  await fc.assert(
    fc.asyncProperty(field, async ([name, sent]) => {
      const guide = guideWith(name, sent);
      const { guides } = await parseGuideRequest(request(structuredClone(guide))).catch((error) => {
        if (!(error instanceof DomainError)) throw error;
        return { guides: undefined };
      });
      if (guides) {
        expect(guides.every((one) => isStored(one))).toBe(true);
        // To clean it again changes nothing.
        expect(await parseGuideRequest(request(...structuredClone(guides)))).toMatchObject({ guides });
      } else if (typeof sent !== 'string' || !isBlank(sent.replaceAll('\u0085', ''))) {
        expect(isSent(guide)).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

describe('problems', () => {
  const problemsOf = async (body: unknown) => {
    try {
      await parseGuideRequest(body);
    } catch (error) {
      if (error instanceof DomainError) return error;
    }
    throw new Error('accepted');
  };

  test('are fifty at most, and counted', async () => {
    const wrong = Object.fromEntries(
      Object.entries(fullGuide()).map(([section, fields]) => [
        section,
        Object.fromEntries(Object.keys(fields).map((name) => [name, []])),
      ]),
    );
    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, 1]));
    for (const [body, total] of [
      [request(wrong, wrong), 2 * 40],
      [request({ ...minimalGuide(), ...unknown }), 60],
      [{ ...request(minimalGuide()), ...unknown }, 60],
    ] as const) {
      const { problems, problemsTotal } = await problemsOf(body);
      expect([problems.length, problemsTotal]).toEqual([50, total]);
    }
  });

  test('cut the name of an unknown field', async () => {
    const { problems } = await problemsOf(request({ ...minimalGuide(), ['k'.repeat(2 ** 20)]: 1 }));
    expect(problems[0]?.campo).toBe('k'.repeat(120));
  });

  test.for<[object, string]>([
    [{ ...minimalGuide(), DestinoCode: 'MTY01' }, "'DestinoCode'; ¿quiso decir 'Destinatario.DestinoCode'?"],
    [
      { ...minimalGuide(), codigo_postal: '06600' },
      "'codigo_postal'; ¿quiso decir 'Destinatario.CodigoPostal'?",
    ],
    [{ ...minimalGuide(), Valor: 5 }, "'Valor'; ¿quiso decir 'Producto.ValorDeclarado'?"],
    [{ ...minimalGuide(), Pedido: '7' }, "'Pedido'; ¿quiso decir 'Referencia'?"],
    [
      { ...minimalGuide(), TipoServicio: 'Domicilio' },
      "'TipoServicio'; ¿quiso decir 'TipoServicio', junto a Guia?",
    ],
    [
      minimalGuide({ CodigoPostal: '06600', Correo: 'a@b.mx' }),
      "'Destinatario.Correo'; ¿quiso decir 'Email'?",
    ],
    [minimalGuide({ CodigoPostal: '06600', Teléfono_Móvil: '5' }), "'Destinatario.Teléfono_Móvil'"],
    [minimalGuide({ CodigoPostal: '06600', Móvil: '5' }), "'Destinatario.Móvil'; ¿quiso decir 'Celular'?"],
    [
      minimalGuide({ CodigoPostal: '06600', Cotizacion: 'x' }),
      "'Destinatario.Cotizacion'; ¿quiso decir 'Cotizacion', fuera de Destinatario?",
    ],
    // What the sender has is not the recipient's.
    [{ ...minimalGuide(), Remitente: { Nombre: 'Ana', RFC: 'PELL800101AB1' } }, "'Remitente.RFC'"],
    [{ ...minimalGuide(), constructor: 'x' }, "'constructor'"],
  ])('say where an unknown field belongs: %j', async ([guide, said]) => {
    const { problems } = await problemsOf(request(guide));
    expect(toDetails(requestErrors, problems)[0]?.message).toBe(`Campo desconocido: ${said}`);
  });

  test('say where a field beside the guides belongs', async () => {
    const { problems } = await problemsOf({ ...request(minimalGuide()), Referencia: 'x' });
    expect(problems[0]?.params).toEqual({ meant: 'Guia.Referencia' });
  });

  test('do not name an unknown field that means nothing', async () => {
    const sent = { ...minimalGuide({ CodigoPostal: '06600', Pais: null, Zona: ' ' }), Notas: '' };
    expect((await parseGuideRequest(request(sent))).guides).toEqual([minimalGuide()]);
  });
});

test('a misspelt name means the known one that is close', () => {
  const KNOWN = ['CodigoPostal', 'Estado', 'RFC', 'Numero_exterior', 'Calle'];
  for (const [name, meant] of [
    ['CodigPostal', 'CodigoPostal'],
    ['codigo_postal', 'CodigoPostal'],
    ['Estdo', 'Estado'],
    ['eClla', undefined],
    ['NumeroExterior', 'Numero_exterior'],
    ['Pais', undefined],
    ['x'.repeat(1_000_000), undefined],
    ['', undefined],
  ] as const) {
    expect(closestName(name, KNOWN), name.slice(0, 20)).toBe(meant);
  }
});

test.for([
  ['handling=lenient', 'lenient'],
  ['foo="a, handling=strict", handling=lenient', 'lenient'],
  ['handling=strict, handling=lenient', 'strict'],
  ['mishandling=lenient', undefined],
  ['foo="a\\', undefined],
] as const)('Prefer: %s is %s', ([header, expected]) => {
  expect(preferenceOf(header, 'handling')).toBe(expected);
});
