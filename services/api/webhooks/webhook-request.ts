import { DomainError, type Problem, ProblemList } from '#shared/errors.ts';
import { isAddress, isPublicAddress } from '#shared/public-address.ts';
import { isAbsent, isObject, tidyFields } from '../guides/request/guide-forms.ts';
import { typeOf, unknownField } from '../guides/request/guide-request.ts';

/** Longest texts of a webhook, in characters. */
export const MAX_URL = 500;
export const MAX_DESCRIPTION = 120;

const URL_RULE =
  'debe ser https://, sin usuario, contrasena ni #, con puerto 443 o mayor que 1023, y no llevar a una direccion privada';

/**
 * Checks the body that registers a webhook (docs/contract.md "Webhooks").
 *
 * @param body parsed JSON, of any shape.
 * @param allowPrivate whether any port, private addresses and plain http are allowed.
 * @throws DomainError `guides-invalid`, which names what is wrong.
 */
export function parseWebhook(body: unknown, allowPrivate: boolean): { url: string; description: string } {
  const problems = new ProblemList();
  const fields = readTexts(body, { Url: MAX_URL, Descripcion: MAX_DESCRIPTION }, problems);
  const { Url = '', Descripcion: description = '' } = fields;
  const url = parseUrl(Url, allowPrivate);
  if (problems.total === 0 && isAbsent(Url)) problems.add(() => ({ campo: 'Url', code: 'field-required' }));
  else if (problems.total === 0 && !url) problems.add(() => invalid('Url', URL_RULE));
  refuse(problems);
  return { url: url ?? '', description };
}

/** Checks the body that activates a webhook; it may be absent. @returns the cursor, where one was sent. */
export function parseActivation(body: unknown): string | undefined {
  const problems = new ProblemList();
  const { cursor } = readTexts(body ?? {}, { cursor: 100 }, problems);
  refuse(problems);
  return cursor;
}

/** Refuses a cursor that is none of this account's feed. */
export function refuseCursor(): never {
  const problem = invalid('cursor', "debe ser un 'siguiente' de GET /api/eventos");
  throw new DomainError('guides-invalid', { problems: [problem] });
}

/** Returns the texts of a body by their names, and adds what is wrong. @param lengths the longest text of each name. */
function readTexts<Name extends string>(
  body: unknown,
  lengths: Record<Name, number>,
  problems: ProblemList,
): Partial<Record<Name, string>> {
  if (!isObject(body)) throw new DomainError('bad-request');
  const known = new Set(Object.keys(lengths));
  const fields = tidyFields(body, known, (name) => problems.add(() => unknownField(name, known)));
  for (const [campo, value] of Object.entries(fields)) {
    const limit = lengths[campo as Name];
    const params = { expected: 'string', given: typeOf(value), limit };
    if (typeof value !== 'string') problems.add(() => ({ campo, code: 'field-type', params }));
    else if (value.length > limit) problems.add(() => ({ campo, code: 'field-too-long', params }));
  }
  return fields as Partial<Record<Name, string>>;
}

/**
 * Returns an address in the form in which it is stored, or undefined where webhooks may not lead there. What its name leads to
 * is checked when a message is sent.
 */
function parseUrl(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || url.hash) return undefined;
  if (allowPrivate) return /^https?:$/.test(url.protocol) ? url.href : undefined;
  const port = Number(url.port || 443);
  if (url.protocol !== 'https:' || (port !== 443 && port < 1_024)) return undefined;
  return isAddress(url.hostname) && !isPublicAddress(url.hostname) ? undefined : url.href;
}

function invalid(campo: string, rule: string): Problem {
  return { campo, code: 'field-invalid', params: { rule } };
}

function refuse(problems: ProblemList): void {
  if (problems.total === 0) return;
  throw new DomainError('guides-invalid', { problems: problems.first, problemsTotal: problems.total });
}
