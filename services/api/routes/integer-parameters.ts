import type { FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';

/**
 * Makes a preValidation hook that parses the integers of a query. An integer has digits only, and no more digits than
 * its maximum. Anything else stays text, which the schema then refuses. (Ajv's own coercion also accepts ` 5`, `0x5`
 * and `5e0`.)
 */
export function readIntegers({ properties }: TObject) {
  const integers = Object.entries(properties as Record<string, { type?: string; maximum?: number }>)
    .filter(([, { type }]) => type === 'integer')
    .map(([name, { maximum }]) => ({ name, form: new RegExp(`^[0-9]{1,${String(maximum).length}}$`) }));
  return async (request: FastifyRequest): Promise<void> => {
    const query = request.query as Record<string, unknown>;
    for (const { name, form } of integers) {
      const text = query[name];
      if (typeof text === 'string' && form.test(text)) query[name] = Number(text);
    }
  };
}
