import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { MAX_PROBLEMS, MAX_PROBLEMS_AT_ONCE } from '#shared/errors/domain-error.ts';
import { CURSOR_PATTERN, MAX_PAGE, USUAL_PAGE } from './list-parameters.ts';
import { CURSOR_RULE, MOMENT_PATTERN, MOMENT_RULE } from './parameter-rules.ts';

/**
 * Schemas that routes of several rooms share; a `title` is the name in the OpenAPI document (`document.ts`). Fastify writes
 * answers by them, so nothing undocumented leaves.
 */

/** Stands for every `codigo` of the api, which the document names in its place. */
export const ALL_CODIGOS = 'x-todos-los-codigos';

/** Not an `enum`: later releases add codes, and older clients must read them. */
export const Codigo = Type.String({
  description: 'Código estable, para programas: el texto de message puede pulirse, el código no',
  [ALL_CODIGOS]: true,
});

/** The `data` of answers without any. Generators of clients fail over the bare type `null`. */
export const Nothing = Type.Unsafe<null>({ type: ['object', 'null'], description: 'Siempre null' });

function momentParameter(description: string) {
  return Type.Optional(
    Type.String({
      pattern: MOMENT_PATTERN,
      description,
      examples: ['2026-11-21', '2026-11-21T05:05:10'],
      'x-regla': MOMENT_RULE,
    }),
  );
}

/** The parameters of a list's period. */
const periodParameters = {
  desde: momentParameter('Fecha, o fecha y hora, local; inclusive'),
  hasta: momentParameter('Fecha, o fecha y hora, local; exclusive, pero una fecha sola es el día entero'),
};

/**
 * The parameters of a page.
 *
 * @param what the pages have, in Spanish.
 * @param cursors the form of their cursors.
 */
export function pageParameters(what: string, max: number, usual: number, cursors: string) {
  return {
    limite: Type.Optional(
      Type.Integer({ minimum: 1, maximum: max, description: `${what} por página; ${usual} si falta` }),
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: cursors,
        description: 'El `siguiente` de la página anterior',
        'x-regla': CURSOR_RULE,
      }),
    ),
  };
}

/** The parameters of a list of what has a number, newest first (`readPage`); `more` are its own. */
export function listParameters<M extends TProperties = Record<never, TSchema>>(what: string, more = {} as M) {
  return {
    ...periodParameters,
    ...more,
    ...pageParameters(what, MAX_PAGE, USUAL_PAGE, CURSOR_PATTERN),
  };
}

/** The cursor that stands beside the data of a page. */
export const NextCursor = Type.Optional(
  Type.Union([Type.String(), Type.Null()], {
    description: 'Cursor de la página que sigue; null si no hay más',
  }),
);

export const Problem = Type.Object(
  {
    indice: Type.Optional(Type.Integer({ description: 'Posición en el array de la solicitud, desde 0' })),
    campo: Type.Optional(Type.String({ description: 'Ruta del campo, con puntos, o nombre del parámetro' })),
    codigo: Codigo,
    message: Type.String(),
    regla: Type.Optional(Type.String({ description: 'De un parámetro: qué admite, o cuál se quiso decir' })),
  },
  { title: 'Problema', description: 'Un problema de la solicitud, y dónde está' },
);

/** What an answer tells of guides beside their data or problems. */
export const WARNINGS = {
  advertencias: Type.Optional(
    Type.Array(Problem, {
      maxItems: MAX_PROBLEMS,
      description:
        'Los textos que la etiqueta no imprime completos, los domicilios en los que algo falta o se contradice, las guías que su cuenta cotiza al crear y no tienen precio, y con `Prefer: handling=lenient` los campos que se omitieron; ' +
        `hasta ${MAX_PROBLEMS}`,
    }),
  ),
  advertenciasTotal: Type.Optional(
    Type.Integer({ description: `Cuántas advertencias hay, donde son más de ${MAX_PROBLEMS}` }),
  ),
};

export const ErrorAnswer = Type.Object(
  {
    response: Type.Literal('ERROR'),
    message: Type.String({ description: 'El primer problema, con el texto de la especificación' }),
    codigo: Codigo,
    details: Type.Optional(
      Type.Array(Problem, {
        maxItems: MAX_PROBLEMS_AT_ONCE,
        description: `Los primeros ${MAX_PROBLEMS} problemas; los de una operación que los dice todos a la vez, hasta ${MAX_PROBLEMS_AT_ONCE}`,
      }),
    ),
    detailsTotal: Type.Optional(
      Type.Integer({ description: 'Cuántos problemas hay, donde `details` no los nombra todos' }),
    ),
    ...WARNINGS,
    requestId: Type.String({ description: 'El mismo que X-Request-Id' }),
  },
  { title: 'RespuestaError', description: 'Todo error tiene esta forma' },
);

/**
 * Describes a field for clients and generators. They do not know our format `texto`, some cannot read `\u` in a pattern, and that
 * for Java makes a set of words that does not compile: the rule says that none may stand twice.
 */
export function describeField({
  pattern,
  format,
  uniqueItems: _,
  ...field
}: TSchema & { pattern?: string; format?: string; uniqueItems?: boolean }) {
  const portable = pattern !== undefined && !pattern.includes('\\u');
  return { ...field, ...(portable && { pattern }), ...(format !== 'texto' && format && { format }) };
}

/**
 * Describes a section of a guide in a request. Words say that one of two fields is required: generators would make two
 * types.
 */
export function describeSection<S extends TObject>(title: string, section: S & { description?: string }) {
  return Type.Unsafe<Static<S>>({ ...answeredSection(title, section), additionalProperties: false });
}

/** Describes a section of a guide in an answer, to which later releases may add fields. */
export function answeredSection<S extends TObject>(title: string, section: S & { description?: string }) {
  const { properties, required, description } = section;
  const fields = Object.entries(properties).map(([name, field]) => [name, describeField(field)]);
  return Type.Unsafe<Static<S>>({
    type: 'object',
    title,
    description,
    required,
    properties: Object.fromEntries(fields),
  });
}

/** Describes a section of which only the fields in `required` are required. */
export function optionalSection<S extends TObject>(
  title: string,
  section: S,
  required: readonly string[] = [],
) {
  return describeSection(title, { ...section, required: [...required] });
}

type Described = {
  type?: string;
  title?: string;
  description?: string;
  enum?: unknown[];
  minLength?: number;
  pattern?: string;
  required?: string[];
  properties?: Record<string, Described>;
  items?: Described;
  'x-no-vacio'?: true;
};

/**
 * Returns a body's schema in which each optional field may be null, as handlers take it (`isAbsent`), and an optional text
 * with a pattern may be "". That "" and 0 are absent in other fields too is said in words: generators would make a union of
 * types. A field with `x-no-vacio` may not be null (`readerOf`).
 */
export function withNulls(schema: Described): Described {
  const { items, properties, required = [] } = schema;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const known = withNulls(field);
    return [name, required.includes(name) || field['x-no-vacio'] ? known : orNull(known)];
  });
  return {
    ...schema,
    ...(items && { items: withNulls(items) }),
    ...(properties && { properties: Object.fromEntries(fields) }),
  };
}

/** A schema with a name of its own keeps it: the document has it in one place. */
function orNull(schema: Described): object {
  const { title, description, minLength: _, pattern, ...rest } = schema;
  if (title !== undefined) return { description, anyOf: [schema, { type: 'null' }] };
  return {
    ...rest,
    type: [schema.type, 'null'],
    ...(pattern !== undefined && { pattern: `^$|${pattern}` }),
    ...(description !== undefined && { description }),
    ...(schema.enum && { enum: [...schema.enum, null] }),
  };
}
