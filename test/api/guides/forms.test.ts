import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { preferenceOf } from '#services/api/guides/guide-bodies.ts';
import { parseGuideRequest } from '#services/api/guides/guide-request.ts';
import { isBlank } from '#services/api/http/body.ts';
import { closestName } from '#services/api/http/closest-name.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { Guide, SentGuide } from '#shared/guides/guide.ts';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import { fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { test } from '#test/fixtures/services.ts';

type Section = 'Remitente' | 'Destinatario' | 'Producto' | 'Creado_por';
const request = (...Guia: unknown[]) => ({ TipoServicio: 'Domicilio', Guia });
/** A full guide with one field replaced. */
function guideWith(section: Section, name: string, value: unknown) {
  const guide = fullGuide();
  return { ...guide, [section]: { ...guide[section], [name]: value } };
}
/** What becomes of a field, or the code of its refusal. */
async function kept(section: Section, name: string, value: unknown): Promise<unknown> {
  try {
    const { guides } = await parseGuideRequest(request(guideWith(section, name, value)));
    return (guides[0] as Record<Section, Record<string, unknown>>)[section][name];
  } catch (error) {
    return (error as DomainError).problems[0]?.code;
  }
}

describe('a phone is kept as its digits', () => {
  test.for([
    ['55 1234 5678', '5512345678'],
    ['+52 55.1234.5678', '525512345678'],
    [' 55\u00a01234\t5678 ', '5512345678'],
    ['++525512345678', 'field-invalid'],
    ['55 1234 5678 ext. 3', 'field-invalid'],
    ['1234567890123456', 'field-invalid'],
    [5512345678, 'field-type'],
  ] as const)('%j: %s', async ([sent, expected]) => {
    for (const name of ['Telefono', 'Celular']) {
      expect(await kept('Remitente', name, sent)).toBe(expected);
      expect(await kept('Destinatario', name, sent)).toBe(expected);
    }
  });
});

describe('a text of invisible characters alone is absent', () => {
  test.for(['\u200b', '\u3164', '\u202e', '\u00ad', '\u{e0041}', '\u0301', ' \u200b \n\u2060'])(
    '%j',
    async (sent) => {
      expect(await kept('Destinatario', 'Nombre', sent)).toBe('field-required');
      expect(await kept('Remitente', 'Nombre', sent)).toBe('field-required');
      expect(await kept('Producto', 'Contenido', sent)).toBe('field-required');
      expect(await kept('Destinatario', 'Referencias', sent)).toBeUndefined();
      expect(await kept('Destinatario', 'Nombre', `${sent}Ana`)).toBe(`${sent}Ana`.trim().replace('\n', ' '));
    },
  );
});

describe('line breaks and tabs in a text are one blank', () => {
  test.for([
    ['Portón verde\r\n2o piso', 'Portón verde 2o piso'],
    ['a\n\n\t\r\nb', 'a b'],
    ['a\u2028b\u2029c\u0085d\u000be\u000cf', 'a b c d e f'],
    ['\r\n', undefined],
    ['\u0085a\u0085', 'a'],
    ['a\u0000b', 'field-invalid'],
    ['x'.repeat(251), 'field-too-long'],
    [`x${'\n'.repeat(400)}y`, 'x y'],
    [`x${'\n'.repeat(2_000)}y`, 'field-too-long'],
  ] as const)('%j: %j', async ([sent, expected]) => {
    expect(await kept('Destinatario', 'Referencias', sent)).toBe(expected);
  });
});

describe('0 in a measure means absent', () => {
  test.for(['Peso', 'Largo', 'Alto', 'Ancho'])('%s', async (name) => {
    expect(await kept('Producto', name, 0)).toBeUndefined();
    expect(await kept('Producto', name, -0)).toBeUndefined();
    expect(await kept('Producto', name, 0.0001)).toBe(0.0001);
    expect(await kept('Producto', name, -1)).toBe('field-invalid');
    expect(await kept('Producto', name, '0')).toBe('field-type');
  });
  test('but not in the declared value', async () =>
    expect(await kept('Producto', 'ValorDeclarado', 0)).toBe(0));
});

describe('an RFC is kept without blanks and dashes, composed, in upper case', () => {
  test.for([
    ['pell800101ab1', 'PELL800101AB1'],
    [' PELL 800101 AB1 ', 'PELL800101AB1'],
    ['PELL–800101—AB1', 'PELL800101AB1'],
    ['n\u0303un800101ab1', 'ÑUN800101AB1'],
    ['PE800101AB1', 'field-invalid'],
    ['PELL8001O1AB1', 'field-invalid'],
  ] as const)('%j: %s', async ([sent, expected]) => {
    expect(await kept('Destinatario', 'RFC', sent)).toBe(expected);
  });
});

describe('whatever a client sends', () => {
  const separators = fc.constantFrom('', ' ', '-', '.', '(', ') ', '\t', '\u00a0', '\r\n');
  const spread = (characters: string) =>
    fc.array(fc.tuple(fc.constantFrom(...characters), separators), { minLength: 6, maxLength: 16 });
  const joined = (characters: string) =>
    spread(characters).map((parts) => parts.map((part) => part.join('')).join(''));
  const value = fc.oneof(
    joined('0123456789+'),
    joined('ABÑñ&123'),
    fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', '\u0085', '\u2028', '\ufeff'), maxLength: 6 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(0, -0, 0.0004, 1e9, 999_999_999.99, null, '', 'n\u0303un 800101 ab1'),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const { Referencia, ...sections } = fullGuide();
  const field = fc.constantFrom(
    ...(Object.entries(sections) as [Section, object][]).flatMap(([section, fields]) =>
      Object.keys(fields).map((name) => [section, name] as const),
    ),
  );
  const isStored = strictAjv().compile(Guide);
  const isSent = strictAjv().compile(SentGuide);

  test('what is accepted is of the stored form, and to clean it again changes nothing', async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(field, value, async ([section, name], sent) => {
        let guides: Guide[];
        try {
          ({ guides } = await parseGuideRequest(request(guideWith(section, name, sent))));
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          return;
        }
        accepted++;
        expect(
          guides.every((guide) => isStored(guide)),
          JSON.stringify(sent),
        ).toBe(true);
        expect(await parseGuideRequest(request(...structuredClone(guides)))).toMatchObject({ guides });
      }),
      { numRuns: 1_500 },
    );
    expect(accepted).toBeGreaterThan(150);
  });

  test('what the published schema accepts is accepted', async () => {
    await fc.assert(
      fc.asyncProperty(field, value, async ([section, name], sent) => {
        const guide = guideWith(section, name, sent);
        fc.pre(isSent(guide) && typeof sent === 'string' && !isBlank(sent.replaceAll('\u0085', '')));
        await expect(parseGuideRequest(request(structuredClone(guide)))).resolves.toBeDefined();
      }),
      { numRuns: 500, maxSkipsPerRun: 10_000 },
    );
  });
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

  test('are bounded, however many there are, and counted', async () => {
    const wrong = Object.fromEntries(
      Object.entries(fullGuide()).map(([section, fields]) => [
        section,
        Object.fromEntries(Object.keys(fields).map((name) => [name, []])),
      ]),
    );
    const unknown = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`f${i}`, 1]));
    const many = await problemsOf(request(...Array.from({ length: 500 }, () => wrong)));
    expect([many.problems.length, many.problemsTotal]).toEqual([50, 500 * 38]);
    const names = await problemsOf(request({ ...minimalGuide(), ...unknown }));
    expect([names.problems.length, names.problemsTotal]).toEqual([50, 30_000]);
    const ofRequest = await problemsOf({ ...request(minimalGuide()), ...unknown });
    expect([ofRequest.problems.length, ofRequest.problemsTotal]).toEqual([50, 30_000]);
  });

  test('cut the name of an unknown field', async () => {
    const { problems } = await problemsOf(request({ ...minimalGuide(), ['k'.repeat(2 ** 20)]: 1 }));
    expect(problems[0]?.campo).toBe('k'.repeat(120));
  });

  test('do not name an unknown field that means nothing', async () => {
    const sent = { ...minimalGuide({ CodigoPostal: '06600', Pais: null, Zona: ' ' }), Notas: '' };
    expect((await parseGuideRequest(request(sent))).guides).toEqual([minimalGuide()]);
  });
});

describe('a misspelt name', () => {
  const KNOWN = ['CodigoPostal', 'Estado', 'RFC', 'Numero_exterior', 'Calle'];
  test.for([
    ['CodigPostal', 'CodigoPostal'],
    ['codigo_postal', 'CodigoPostal'],
    ['Estdo', 'Estado'],
    ['eClla', undefined],
    ['NumeroExterior', 'Numero_exterior'],
    ['Pais', undefined],
    ['x'.repeat(1_000_000), undefined],
    ['', undefined],
  ] as const)('%.20s means %s', ([name, expected]) => {
    expect(closestName(name, KNOWN)).toBe(expected);
  });
});

describe('Prefer', () => {
  test.for([
    ['handling=lenient', 'lenient'],
    ['foo="a, handling=strict", handling=lenient', 'lenient'],
    ['handling=strict, handling=lenient', 'strict'],
    ['mishandling=lenient', undefined],
    ['foo="a\\', undefined],
  ] as const)('%.60s: %s', ([header, expected]) => {
    expect(preferenceOf(header, 'handling')).toBe(expected);
  });

  test('handling=lenient leaves unknown fields out, and names fifty', async ({ demo, stores }) => {
    const body = { ...request(minimalGuide(), { ...minimalGuide(), Prioridad: 'alta' }), Origen: 'GDL01' };
    const lenient = { prefer: 'handling=lenient' };
    const { status, headers, body: answer } = await demo.post('/api/guias/crear', body, lenient);
    expect([status, headers.get('preference-applied')]).toEqual([200, 'handling=lenient']);
    const left = { codigo: 'campo_desconocido' };
    expect(answer.advertencias).toMatchObject([
      { campo: 'Origen', ...left },
      { indice: 1, campo: 'Prioridad', ...left },
    ]);
    const [, created] = answer.data as { SEND_GUIA: string }[];
    const guides = stores.mongo.collection<{ _id: string; guide: object }>('guides');
    expect((await guides.findOne({ _id: created?.SEND_GUIA ?? '' }))?.guide).toEqual(minimalGuide());

    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, 1]));
    const many = await demo.post('/api/guias/crear', request({ ...minimalGuide(), ...unknown }), lenient);
    expect([many.body.advertencias?.length, many.body.advertenciasTotal]).toEqual([50, 60]);
  });
});

describe('texts that labels do not print whole', () => {
  const named = (campo: string, characters: string) => ({
    indice: 0,
    campo,
    codigo: 'caracteres_no_imprimibles',
    message: `El campo '${campo}' se imprime con • en vez de: ${characters}`,
  });

  test('are named in every field, fifty at most, also in repeated answers', async ({ demo }) => {
    const key = { 'idempotency-key': 'letras' };
    const guide = {
      ...minimalGuide({ CodigoPostal: '06600', Municipio: '中' }),
      Remitente: { Nombre: '中' },
      Producto: { Contenido: '中', TipoEnvio: '中' },
      Creado_por: { Agencia: '中' },
      Referencia: '中',
    };
    const body = request(...Array.from({ length: 10 }, () => guide));
    const first = await demo.post('/api/guias/crear', body, key);
    expect(first.body.advertencias?.slice(0, 6)).toEqual(
      [
        'Remitente.Nombre',
        'Destinatario.Municipio',
        'Producto.Contenido',
        'Producto.TipoEnvio',
        'Creado_por.Agencia',
        'Referencia',
      ].map((campo) => named(campo, '中')),
    );
    expect([first.body.advertencias?.length, first.body.advertenciasTotal]).toEqual([50, 60]);
    const again = await demo.post('/api/guias/crear', body, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
  });
});
