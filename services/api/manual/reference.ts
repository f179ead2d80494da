import type { Subject } from '#shared/rooms.ts';
import { asText, markdownTable, readableJson } from '../http/tables.ts';

type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
};
type Content = Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }>;
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };
/** What the chapters show of an OpenAPI operation. */
export type Operation = {
  method: string;
  path: string;
  operationId: string;
  tags: Subject[];
  summary: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  'x-permiso'?: string;
  'x-codigos': Record<string, string[]>;
};
export type OpenApiDocument = {
  paths?: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  components?: { schemas?: Record<string, Schema> };
};

/** Returns the operations of the document. */
export function operationsOf({ paths = {} }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** Returns the values that a field of a schema may have; none if the document lacks it. */
export function valuesOf({ components }: OpenApiDocument, schema: string, field: string): unknown[] {
  return namedIn(components?.schemas?.[schema]?.properties?.[field]);
}

/** Returns the values that a schema names, without the null of a field that may be absent. */
function namedIn({ enum: values = [] }: Schema = {}): unknown[] {
  return values.filter((value) => value !== null);
}

/** The example of a request's body, if the operation takes one. */
export function bodyExample({ requestBody }: Operation): string | undefined {
  const [example] = Object.values(jsonOf(requestBody)?.examples ?? {});
  return example && readableJson(example.value);
}

/** Writes what an operation takes and answers, as Markdown below a heading whose id is the operation's. */
export function operationSection(
  operation: Operation,
  { components }: OpenApiDocument,
  everywhere: ReadonlySet<string>,
): string {
  const { method, path, operationId, summary, description, parameters = [], requestBody } = operation;
  const body = jsonOf(requestBody);
  const request = bodyExample(operation);
  return [
    `## \`${operationId}\` ${summary}`,
    `\`${method} ${path}\``,
    ...(description ? [description] : []),
    ...(parameters.length > 0 ? [parametersTable(parameters)] : []),
    ...(body ? [fieldsTable(fieldsOf(body.schema, components?.schemas ?? {}))] : []),
    ...(request ? ['Por ejemplo:', `\`\`\`\n${request}\n\`\`\``] : []),
    ...answerExample(operation),
    ...ownErrors(operation, everywhere),
  ].join('\n\n');
}

function jsonOf(part: { content?: Content } | undefined) {
  return part?.content?.['application/json'];
}

const WHERE: Record<string, string> = { path: 'ruta', query: 'parámetro', header: 'header' };

function parametersTable(parameters: readonly Parameter[]): string {
  return markdownTable(
    ['Parámetro', 'Dónde', 'Qué es'],
    parameters.map(({ name, in: where, required, description = '', schema }) => [
      `\`${name}\`${required ? ' **obligatorio**' : ''}`,
      WHERE[where] ?? where,
      withValues(description, schema),
    ]),
  );
}

type Field = { name: string; required: boolean; schema: Schema };

/** Returns the fields of a body and of its arrays' elements. The chapter "Campos" has those of a guide's sections. */
function fieldsOf(schema: Schema, schemas: Record<string, Schema>, prefix = ''): Field[] {
  const { properties = {}, required = [] } = resolve(schema, schemas);
  return Object.entries(properties).flatMap(([name, part]) => {
    const field = { name: prefix + name, required: required.includes(name), schema: resolve(part, schemas) };
    const { items } = field.schema;
    return [field, ...(items ? fieldsOf(items, schemas, `${prefix}${name}[].`) : [])];
  });
}

function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  return schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
}

function fieldsTable(fields: readonly Field[]): string {
  return markdownTable(
    ['Campo', 'Qué es'],
    fields.map(({ name, required, schema }) => [
      `\`${name}\`${required ? ' **obligatorio**' : ''}`,
      withValues(schema.description ?? '', schema),
    ]),
  );
}

/** Adds to a description which values a schema allows. */
function withValues(description: string, schema: Schema): string {
  const { minimum, maximum } = schema;
  const values = namedIn(schema);
  const allowed =
    values.length > 0
      ? `Uno de ${values.map((value) => `\`${value}\``).join(', ')}`
      : minimum !== undefined && maximum !== undefined
        ? `De ${minimum} a ${maximum}`
        : '';
  return [description.replaceAll('|', '\\|'), allowed].filter(Boolean).join('. ');
}

function answerExample({ responses }: Operation): string[] {
  const [success] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  if (!success) return [];
  const [status, { description, content = {} }] = success;
  const [example] = Object.values(content['application/json']?.examples ?? {});
  if (example) return [`Responde ${status}:`, `\`\`\`\n${readableJson(example.value)}\n\`\`\``];
  const types = Object.keys(content).map((type) => `\`${type}\``);
  return [`Responde ${status}: ${asText(description)} (${types.join(', ')}).`];
}

/** Lists the codes that not every operation answers, by status. */
function ownErrors({ 'x-codigos': codigos }: Operation, everywhere: ReadonlySet<string>): string[] {
  const lines = Object.entries(codigos).flatMap(([status, all]) => {
    const own = all.filter((codigo) => !everywhere.has(codigo));
    return own.length > 0 ? [`- ${status}: ${own.map(codigoLink).join(', ')}`] : [];
  });
  return lines.length > 0 ? ['Errores propios:', lines.join('\n')] : [];
}

/** Links a code to what to do about it. */
export function codigoLink(codigo: string): string {
  return `[\`${codigo}\`](/api/docs/errores#${codigo})`;
}

/** Links to an operation in the chapter of its resource. */
export function operationLink(
  { operationId, tags }: Pick<Operation, 'operationId' | 'tags'>,
  text = operationId,
): string {
  return `[${text}](${operationAddress({ operationId, tags })})`;
}

export function operationAddress({ operationId, tags }: Pick<Operation, 'operationId' | 'tags'>): string {
  return `/api/docs/operaciones/${addressOf(tags[0] as Subject)}#${operationId}`;
}

/** Returns the last part of the address of a resource's chapter. */
export function addressOf(tag: Subject): string {
  return tag.toLowerCase();
}
