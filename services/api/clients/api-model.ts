/** What clients are made of, read from the OpenAPI document: its schemas, and each operation as a method. */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: readonly (string | number | boolean | null)[];
  const?: string | number | boolean;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
};
type Content = Record<string, { schema: Schema }>;
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };
type DocumentedOperation = {
  operationId: string;
  summary: string;
  description: string;
  security: object[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
  'x-no-repetir'?: true;
};
export type OpenApiDocument = {
  info: { version: string };
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
};

/** A method of the clients. Its path has `{name}` where its first arguments go. */
export type Operation = {
  name: string;
  method: string;
  path: string;
  documentation: string;
  inPath: Parameter[];
  query: Parameter[];
  /** JSON of a schema, or the bytes of a file in one of these media types. */
  body?: { schema: Schema; optional: boolean } | { fileTypes: string[] };
  /** Takes an Idempotency-Key, by which clients repeat it. */
  keyed: boolean;
  /** Done again, it does it again. */
  actsAgain: boolean;
  /** The name of a schema, or bytes. */
  answer: string | 'bytes';
  pages?: Pages;
};
/**
 * How the pages of a list are walked through. A feed always has a cursor and ends with an empty page, so that clients get pages
 * with their cursors. Other lists give the elements below this path of fields.
 */
export type Pages = { kind: 'feed' } | { kind: 'list'; below: string[]; element: Schema };

/** What the method says that walks through the pages. */
export const WALK_TEXTS = {
  list: 'Todo lo de la lista, página tras página.',
  feed: 'Las páginas tras un cursor, hasta la última que hay. Guarde `siguiente` junto con su página: con él se sigue otro día.',
};

/** Returns the name of that method: `recorrerGuias` of `listarGuias`. */
export function walkName(operation: string): string {
  return operation.replace(/^(?:listar|obtener)/, 'recorrer');
}

const JSON_TYPE = 'application/json';
const REF = '#/components/schemas/';

/** Returns the methods of clients: all operations but those without a credential, which clients do themselves. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.length > 0)
      .map(([method, operation]) => readOperation(document, path, method.toUpperCase(), operation)),
  );
}

function readOperation(
  { components: { schemas } }: OpenApiDocument,
  path: string,
  method: string,
  operation: DocumentedOperation,
): Operation {
  const { operationId: name, summary, description, parameters = [], requestBody, responses } = operation;
  const answered = responses[200]?.content?.[JSON_TYPE]?.schema;
  const answer = answered ? nameOf(answered) : 'bytes';
  const named = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const query = parameters.filter((parameter) => parameter.in === 'query');
  return {
    ...{ name, method, path, query, answer },
    documentation: [`${summary}.`, description].filter(Boolean).join(' '),
    inPath: [...path.matchAll(/\{(\w+)\}/g)].map(([, part = '']) => named.get(part) as Parameter),
    ...(requestBody && { body: readBody(requestBody, schemas) }),
    keyed: named.has('idempotency-key'),
    actsAgain: operation['x-no-repetir'] ?? false,
    ...(named.has('cursor') && { pages: pagesOf(schemas[answer] ?? {}, schemas) }),
  };
}

/** A request may be left out where none of its fields is required. */
function readBody(
  { required = false, content }: NonNullable<DocumentedOperation['requestBody']>,
  schemas: Record<string, Schema>,
): NonNullable<Operation['body']> {
  const schema = content[JSON_TYPE]?.schema;
  if (!schema) return { fileTypes: Object.keys(content) };
  return { schema, optional: !(required && schemas[nameOf(schema)]?.required) };
}

function pagesOf({ properties = {} }: Schema, schemas: Record<string, Schema>): Pages {
  const { data = {}, siguiente = {} } = properties;
  if (!isNullable(siguiente)) return { kind: 'feed' };
  if (data.items) return { kind: 'list', below: ['data'], element: data.items };
  const [field, { items }] = Object.entries(schemas[nameOf(data)]?.properties ?? {}).find(
    ([, { items }]) => items,
  ) as [string, { items: Schema }];
  return { kind: 'list', below: ['data', field], element: items };
}

/** Returns the name of the schema to which a reference leads. */
export function nameOf({ $ref = '' }: Schema): string {
  return $ref.slice(REF.length);
}

export function isNullable({ type, anyOf = [] }: Schema): boolean {
  return [type].flat().includes('null') || anyOf.some(isNullable);
}

/** Words of a language, by which a schema becomes a type. */
type Words = {
  name: (schema: string) => string;
  list: (element: string) => string;
  literals: (values: string[]) => string[];
  literal: (value: string | number | boolean | null) => string;
  plain: Record<string, string>;
};

/** Returns the type of a field or parameter, as a language writes it. */
export function typeOf(schema: Schema, words: Words): string {
  return [...new Set(unionOf(schema, words))].join(' | ');
}

function unionOf(schema: Schema, words: Words): string[] {
  const { $ref, anyOf, enum: values, const: only, items, type } = schema;
  if ($ref) return [words.name(nameOf(schema))];
  if (anyOf) return anyOf.flatMap((each) => unionOf(each, words));
  const fixed = values ?? (only === undefined ? undefined : [only]);
  const types = [type].flat();
  const nothing = types.includes('null') ? [words.plain.null ?? ''] : [];
  if (fixed) {
    const literals = fixed.filter((value) => value !== null).map(words.literal);
    return [...words.literals(literals), ...nothing];
  }
  if (items) return [words.list(typeOf(items, words)), ...nothing];
  return types.map((each = 'object') => words.plain[each] ?? '');
}
