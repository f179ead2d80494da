import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { httpErrors } from '#services/api/errors.ts';
import { generateGuideNumber, isGuideNumber } from '#services/api/guides/guide-number.ts';
import { parseGuideRequest } from '#services/api/guides/request/guide-request.ts';
import { DomainError } from '#shared/errors.ts';
import { toHttpError } from '#shared/http/http-errors.ts';
import { fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { test } from '#test/fixtures/services.ts';

describe('guide numbers', () => {
  const number = fc.constant(null).map(generateGuideNumber);

  test('reveal any single wrong digit', () => {
    fc.assert(
      fc.property(number, fc.nat(11), fc.integer({ min: 1, max: 9 }), (text, place, by) => {
        const digit = String((Number(text[place]) + by) % 10);
        expect(isGuideNumber(text.slice(0, place) + digit + text.slice(place + 1))).toBe(false);
      }),
    );
  });

  test('are told from any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!/^[1-9][0-9]{11}$/.test(text));
        expect(isGuideNumber(text)).toBe(false);
      }),
    );
  });
});

describe('the parser of the body', () => {
  /** JSON of any shape, and guides of which parts were replaced by it. */
  const broken = fc
    .record({
      path: fc.constantFrom(...paths(fullGuide())),
      value: fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.string({ unit: 'binary' }), fc.double()),
    })
    .map(({ path, value }) => replaced(fullGuide(), path, value));
  const body = fc.oneof(
    fc.jsonValue({ maxDepth: 5 }),
    fc.record({ TipoServicio: fc.jsonValue(), Guia: fc.jsonValue() }),
    fc.record({
      TipoServicio: fc.constantFrom('Domicilio', 'the service', '', null),
      Guia: fc.array(fc.oneof(broken, fc.jsonValue()), { maxLength: 4 }),
    }),
  );

  test('either returns guides that obey the rules, or refuses with a code that has an answer', () => {
    fc.assert(
      fc.property(body, (value) => {
        try {
          const { guides } = parseGuideRequest(structuredClone(value));
          for (const { Destinatario } of guides) {
            expect(Destinatario.DestinoCode ?? Destinatario.CodigoPostal).toBeDefined();
          }
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          for (const { code } of [error, ...error.problems]) expect(httpErrors).toHaveProperty(code);
          const { details } = toHttpError(httpErrors, error);
          expect(details.every(({ message }) => message.length > 0 && message.length < 500)).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test('over HTTP neither answers 5xx nor hangs, whatever the bytes', async ({ api, demo }) => {
    const text = fc.oneof(
      body.map((value) => JSON.stringify(value)),
      fc.string({ unit: 'binary' }),
      fc.uint8Array({ maxLength: 200 }),
    );
    await fc.assert(
      fc.asyncProperty(text, async (bytes) => {
        const response = await fetch(`${api.url}/api/guias/crear`, {
          method: 'POST',
          headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
          body: bytes,
          signal: AbortSignal.timeout(10_000),
        });
        const answer = (await response.json()) as { response: string; message: string };
        expect([200, 400]).toContain(response.status);
        expect(answer.response).toBe(response.status === 200 ? 'OK' : 'ERROR');
        expect(answer.message).not.toBe('');
      }),
      { numRuns: 400 },
    );
  });
});

describe('the destination rules', () => {
  /** The demo data (docs/contract.md "Demo data"). */
  const RECEIVING = ['GDL01', 'MEX01', 'MTY01', 'PUE01'];
  const COVERED: Record<string, string> = {
    '06600': 'MEX01',
    '64000': 'MTY01',
    '44100': 'GDL01',
    '72000': 'PUE01',
  };
  const code = fc.constantFrom(
    ...RECEIVING,
    'TIJ01',
    'CUN01',
    'NADA9',
    'mex01',
    ' PUE01 ',
    '',
    null,
    undefined,
  );
  const postalCode = fc.constantFrom(...Object.keys(COVERED), '22000', '77500', '99999', '', null, undefined);
  const destination = fc.record({ DestinoCode: code, CodigoPostal: postalCode });

  /** The rules of destinations (docs/contract.md "Guides"): a branch, or the message. */
  function expected({
    DestinoCode,
    CodigoPostal,
  }: {
    DestinoCode?: string | null;
    CodigoPostal?: string | null;
  }) {
    const branch = DestinoCode?.trim().toUpperCase();
    if (branch) {
      const message = 'DestinoCode no corresponde a sucursal valida';
      return RECEIVING.includes(branch) ? { branch } : { message };
    }
    if (!CodigoPostal) return { message: 'Se requiere DestinoCode o CodigoPostal' };
    const covering = COVERED[CodigoPostal];
    return covering
      ? { branch: covering }
      : { message: `No hay cobertura para el código postal: ${CodigoPostal}` };
  }

  test('hold for every combination, in batches that are created whole or not at all', async ({
    demo,
    stores,
  }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(destination, { minLength: 1, maxLength: 6 }), async (destinations) => {
        const before = await stores.mongo.collection('guides').countDocuments();
        const { status, body } = await demo.create(destinations.map((each) => minimalGuide(each)));
        const after = await stores.mongo.collection('guides').countDocuments();
        const outcomes = destinations.map((each) => expected(each as Parameters<typeof expected>[0]));
        const missing = outcomes.filter(({ message }) => message?.startsWith('Se requiere'));
        // The shape of all guides is looked at before any destination is.
        const wrong = missing.length > 0 ? missing : outcomes.filter(({ message }) => message);
        if (wrong.length > 0) {
          expect([status, body.message, after]).toEqual([400, wrong[0]?.message, before]);
          expect(body.details?.map(({ message }) => message)).toEqual(wrong.map(({ message }) => message));
        } else {
          expect([status, after]).toEqual([200, before + destinations.length]);
          expect(body.data).toMatchObject(outcomes.map(({ branch }) => ({ SEND_SUCU_DEST: branch })));
        }
      }),
      { numRuns: 150 },
    );
  });
});

/** The paths of all fields of a value, as arrays of names. */
function paths(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, inner]) => paths(inner, [...at, name]))];
}

function replaced(value: unknown, [name, ...rest]: string[], by: unknown): unknown {
  if (name === undefined) return by;
  const inner = (value as Record<string, unknown>)[name];
  return { ...(value as object), [name]: replaced(inner, rest, by) };
}
