import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { inTurns } from '#shared/async/in-turns.ts';

/** Lists up to this length are written at once, as one text: some tens of kilobytes. */
const MAX_AT_ONCE = 20;
const JSON_TYPE = 'application/json';
/** Where the items go in the text of an answer. No value before it has this text, because its quotes would be escaped. */
const NO_ITEMS = '"data":[]';

/**
 * Returns a preSerialization hook that writes the JSON of a long list item by item, in turns of the event loop.
 *
 * @param items schema of an item of `data`.
 */
export function writeInTurns(items: TSchema) {
  return async (_request: FastifyRequest, reply: FastifyReply, answer: unknown): Promise<unknown> => {
    if (!isLongList(answer)) return answer;
    const schema = items as TSchema & Record<string, unknown>;
    const write = reply.getSerializationFunction(schema) ?? reply.compileSerializationSchema(schema);
    const texts = await inTurns(answer.data, (item) => write(item as Record<string, unknown>));
    const status = String(reply.statusCode);
    const text = String(reply.serializeInput({ ...answer, data: [] }, status, JSON_TYPE));
    const [from, to] = [text.indexOf(NO_ITEMS), text.indexOf(NO_ITEMS) + NO_ITEMS.length];
    reply.serializer((written) => String(written));
    return `${text.slice(0, from)}"data":[${texts.join(',')}]${text.slice(to)}`;
  };
}

function isLongList(answer: unknown): answer is { data: unknown[] } {
  const data = (answer as { data?: unknown } | null)?.data;
  return Array.isArray(data) && data.length > MAX_AT_ONCE;
}
