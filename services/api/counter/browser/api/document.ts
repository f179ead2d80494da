import { ask } from './ask.ts';
import type { Answer } from './problem.ts';

/** The OpenAPI document as far as this page reads it. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  items?: Schema;
  enum?: (string | null)[];
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
  examples?: unknown[];
  maxLength?: number;
};
type Operation = { requestBody?: { content: Record<string, { schema: Schema }> } };
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
  /** What to do about each `codigo`. */
  'x-consejos'?: Record<string, string>;
};

let reading: Promise<Answer<OpenApi>> | undefined;

/** Reads the document once for the whole page, and again if that failed. */
export async function readDocument(): Promise<Answer<OpenApi>> {
  reading ??= ask<never>({ method: 'GET', path: '/api/openapi.json' }).then((answer) =>
    // The document stands alone: it is no answer with `data`.
    answer.ok ? { ...answer, data: answer.body as unknown as OpenApi, body: answer.body as never } : answer,
  );
  const answer = await reading;
  if (!answer.ok) reading = undefined;
  return answer;
}

/**
 * Returns what a person at the counter can do about a problem of the API. The advice is for whoever integrates: its sentences with
 * code, such as the names of fields and routes, are left to the guide.
 */
export function adviceForPeople(document: OpenApi, codigo: string): string {
  const sentences = document['x-consejos']?.[codigo]?.split(/(?<=\.) /) ?? [];
  return sentences.filter((sentence) => !sentence.includes('`')).join(' ');
}
