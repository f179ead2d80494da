import type { FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { MAX_NAME_LENGTH } from '#shared/errors.ts';
import { refuseFor } from '#shared/http/http-errors.ts';

/**
 * Makes a preValidation hook that refuses parameters which the schema does not name, and parses the integers of the
 * others. An integer has digits only, and no more digits than its maximum. Anything else stays text, which the schema then
 * refuses. (Ajv's own coercion also accepts ` 5`, `0x5` and `5e0`.)
 *
 * The hook throws DomainError `parameter-unknown`: a misspelt parameter must not be ignored in silence.
 *
 * @param schema of the whole query; a route without one takes no parameter.
 */
export function readQuery(schema: TObject | undefined) {
  const known = (schema?.properties ?? {}) as Record<string, { type?: string; maximum?: number }>;
  const integers = Object.entries(known)
    .filter(([, { type }]) => type === 'integer')
    .map(([name, { maximum }]) => ({ name, form: new RegExp(`^[0-9]{1,${String(maximum).length}}$`) }));
  return async (request: FastifyRequest): Promise<void> => {
    const query = request.query as Record<string, unknown>;
    const unknown = Object.keys(query).filter((name) => !Object.hasOwn(known, name));
    if (unknown.length > 0) {
      throw refuseFor(
        'parameter-unknown',
        unknown.map((name) => name.slice(0, MAX_NAME_LENGTH)),
      );
    }
    for (const { name, form } of integers) {
      const text = query[name];
      if (typeof text === 'string' && form.test(text)) query[name] = Number(text);
    }
  };
}
