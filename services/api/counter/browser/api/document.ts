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

/**
 * Returns what a person at the counter can do about a problem of the API. The advice is for whoever integrates: its sentences with
 * code, such as the names of fields and routes, are left to the guide.
 */
export function adviceForPeople(document: OpenApi, codigo: string): string {
  const sentences = document['x-consejos']?.[codigo]?.split(/(?<=\.) /) ?? [];
  return sentences.filter((sentence) => !sentence.includes('`')).join(' ');
}
