import { type Static, type TObject, Type } from 'typebox';
import { guideAjv } from '#shared/contracts/guide.ts';
import { isAddress, isPublicAddress } from '#shared/contracts/public-address.ts';
import { DomainError, type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { addProblems, isObject, normalizeFields } from '../requests/body.ts';

const URL_RULE =
  'debe ser https://, sin usuario, contrasena ni #, con puerto 443 o mayor que 1023, y no llevar a una direccion privada';

const MAX_URL = 500;
const MAX_DESCRIPTION = 120;
/** A URL parser would silently correct other texts: missing slashes, an empty user, an empty fragment. */
const VALID_URL = /^https?:\/\/[^\\/?#@\s]+(?:[\\/?][^#]*)?$/i;
/** They would reach terminals and logs. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

export const NewWebhook = Type.Object(
  {
    Url: Type.String({
      maxLength: MAX_URL,
      description:
        'https, sin usuario, contraseña ni #, con puerto 443 o mayor que 1023, fuera de redes privadas',
      examples: ['https://tienda.example/guias'],
    }),
    Descripcion: Type.Optional(Type.String({ maxLength: MAX_DESCRIPTION, examples: ['Tienda'] })),
  },
  { title: 'SolicitudDeWebhook', additionalProperties: false },
);

export const Activation = Type.Object(
  { cursor: Type.Optional(Type.String({ maxLength: 100, examples: ['ZTE'] })) },
  { title: 'ActivacionDeWebhook', additionalProperties: false, description: 'Puede faltar' },
);

const readWebhook = readerOf(NewWebhook);
const readActivation = readerOf(Activation);

/**
 * Checks the body that registers a webhook (docs/contract.md "Webhooks").
 * @param allowPrivate allows any port, private addresses and http.
 * @throws DomainError `fields-invalid`, with all problems.
 */
export function parseWebhook(body: unknown, allowPrivate: boolean): { url: string; description: string } {
  const problems = new ProblemList();
  const { Url, Descripcion: description = '' } = readWebhook(body, problems);
  const url = typeof Url === 'string' ? parseUrl(Url, allowPrivate) : undefined;
  if (!problems.first.some(({ campo }) => campo === 'Url')) {
    const tooLong: Problem = { campo: 'Url', code: 'field-too-long', params: { limit: MAX_URL } };
    if (!url) problems.add(() => invalid('Url', URL_RULE));
    else if (url.length > MAX_URL) problems.add(() => tooLong);
  }
  if (typeof description === 'string' && UNPRINTABLE.test(description)) {
    const rule = `admite texto de 1 a ${MAX_DESCRIPTION} caracteres, sin caracteres de control`;
    problems.add(() => invalid('Descripcion', rule));
  }
  problems.throwIfAny('fields-invalid');
  return { url: url as string, description };
}

/** @returns the cursor, if the optional body has one. */
export function parseActivation(body: unknown): string | undefined {
  const problems = new ProblemList();
  const { cursor } = readActivation(body ?? {}, problems);
  problems.throwIfAny('fields-invalid');
  return cursor;
}

export function refuseCursor(): never {
  const problem = invalid('cursor', "debe ser un 'siguiente' de GET /api/eventos");
  throw new DomainError('fields-invalid', { problems: [problem] });
}

/** Collects the problems of a body's fields. */
function readerOf<S extends TObject>(schema: S) {
  const known = new Set(Object.keys(schema.properties));
  const isValid = guideAjv({ allErrors: true, verbose: true }).compile(schema);
  return (body: unknown, problems: ProblemList): Static<S> => {
    if (!isObject(body)) throw new DomainError('bad-request');
    const fields = normalizeFields(body, known, problems);
    if (!isValid(fields)) addProblems(problems, isValid.errors);
    return fields as Static<S>;
  };
}

/** Returns a URL as it is stored, or undefined if webhooks may not use it. Its name is resolved at each delivery. */
function parseUrl(text: string, allowPrivate: boolean): string | undefined {
  const url =
    VALID_URL.test(text) && !UNPRINTABLE.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return undefined;
  if (allowPrivate) return /^https?:$/.test(url.protocol) ? url.href : undefined;
  const port = Number(url.port || 443);
  if (url.protocol !== 'https:' || (port !== 443 && port < 1_024)) return undefined;
  return isAddress(url.hostname) && !isPublicAddress(url.hostname) ? undefined : url.href;
}

function invalid(campo: string, rule: string): Problem {
  return { campo, code: 'field-invalid', params: { rule } };
}
