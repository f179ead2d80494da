import type { FastifyReply, FastifyRequest } from 'fastify';
import { inTurns } from '#shared/async/in-turns.ts';

/** Lists up to this length are written at once, as one text: some tens of kilobytes. */
const MAX_AT_ONCE = 20;
const JSON_TYPE = 'application/json';
/** Where the items go in the text of an answer. No value before it has this text, because its quotes would be escaped. */
const NO_ITEMS = '"data":[]';

/** A preSerialization hook, which writes the JSON of a long list item by item, in turns of the event loop. */
export async function writeInTurns(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
): Promise<unknown> {
  if (!isLongList(answer)) return answer;
  const schema = itemsOf(request.routeOptions.schema?.response as Responses);
  const write = reply.getSerializationFunction(schema) ?? reply.compileSerializationSchema(schema);
  const texts = await inTurns(answer.data, (item) => write(item as Record<string, unknown>));
  const status = String(reply.statusCode);
  const text = String(reply.serializeInput({ ...answer, data: [] }, status, JSON_TYPE));
  const [from, to] = [text.indexOf(NO_ITEMS), text.indexOf(NO_ITEMS) + NO_ITEMS.length];
  reply.serializer((written) => String(written));
  return `${text.slice(0, from)}"data":[${texts.join(',')}]${text.slice(to)}`;
}

/** The answers of a list, as `okResponse` makes them. */
type Responses = {
  200: { content: { [JSON_TYPE]: { schema: { properties: { data: { items: Record<string, unknown> } } } } } };
};

/** Returns the schema of an item, with what rooms add to it. */
function itemsOf({ 200: success }: Responses) {
  return success.content[JSON_TYPE].schema.properties.data.items;
}

function isLongList(answer: unknown): answer is { data: unknown[] } {
  const data = (answer as { data?: unknown } | null)?.data;
  return Array.isArray(data) && data.length > MAX_AT_ONCE;
}
