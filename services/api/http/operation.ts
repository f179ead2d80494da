import buildSerializer from 'fast-json-stringify';
import type {
  FastifyContextConfig,
  FastifyRequest,
  FastifySchema,
  FastifySchemaCompiler,
  FastifySchemaValidationError,
  FastifySerializerCompiler,
} from 'fastify';
import { IsOptional, type Static, type TObject, type TSchema } from 'typebox';
import { DomainError, type ErrorCode, MAX_NAME_LENGTH, type Problem } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Subject, UserAction } from '#shared/rooms.ts';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import type { ErrorTable } from './errors.ts';
import { namesRule, ONCE_RULE, ruleOf } from './parameter-rules.ts';
import {
  answerOf,
  codigosByStatus,
  errorResponses,
  okResponse,
  type Response,
  type Success,
  withCommonHeaders,
} from './responses.ts';
import { withNulls } from './schemas.ts';
import { writeInTurns } from './write-in-turns.ts';

/** The parts of a request. Each schema documents and types its part; those of parameters validate too. */
type RequestSchemas = { params?: TObject; querystring?: TObject; headers?: TObject; body?: TSchema };

type Operation<Request extends RequestSchemas, Data extends TSchema> = {
  /** A verb and its object, in Spanish: generated clients name methods after it. */
  id: string;
  tag: Subject;
  summary: string;
  description?: string;
  /** Permission that the user needs; `any` demands a valid token only. Absent if the route needs no token. */
  permission?: FastifyContextConfig['permission'];
  request?: Request;
  /** Media types of the body, if it is not JSON. */
  consumes?: readonly string[];
  /** Error codes of parameters, by name; the default is `parameter-invalid`. */
  invalid?: Readonly<Record<string, ErrorCode>>;
  /** What users do by it: how its requests end is counted (`countActions`). */
  action: UserAction;
  /** The service objectives count its requests (k8s/operations.md "Objectives"). */
  objective?: true;
  /** Done twice, it does twice what it does, and no key prevents it: clients must not simply repeat it. */
  actsAgain?: true;
  /** The handler reads many documents: requests of an account take turns (`heavyRequests`). */
  readsMany?: true;
  /** Bytes from which on bodies of an account take turns, if not the usual ones (`heavyRequests`). */
  largeBytes?: number;
  /** Only the query is validated before the handler: the schemas of body and headers only document and type. */
  validatedBy?: 'handler';
  /** Its other errors; those of every request and of every token are added. */
  errors?: ErrorCode[];
  data?: Success<Data>;
  /** Answers of success that are not JSON, as OpenAPI responses by status. */
  responses?: Record<number, Response>;
};

const ALWAYS: ErrorCode[] = [
  'bad-request',
  'parameter-unknown',
  'headers-too-large',
  'request-timeout',
  'too-many-requests',
  'internal',
  'unavailable',
];
export const BODY_ERRORS = [
  'body-too-large',
  'not-json',
  'too-many-values',
  'body-compressed',
  'body-not-utf8',
] as const satisfies ErrorCode[];
const AUTHENTICATED: ErrorCode[] = ['access-denied', 'token-expired'];

/** Marks an operation whose body may be absent, until the document says so. */
export const BODY_MAY_BE_ABSENT = 'x-cuerpo-opcional';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The errors that the route may answer, which `completeOperations` describes. `operation` sets it. */
    errors?: readonly ErrorCode[];
  }
}

/**
 * States a route once: its permission, its schemas, which validate, type and document it, and its errors.
 *
 * @returns Fastify's options for the route, and `ok`, which makes the success response from its data.
 */
export function operation<Request extends RequestSchemas, Data extends TSchema>(
  route: Operation<Request, Data>,
) {
  const { permission, action, objective, readsMany, largeBytes, request, invalid, validatedBy, data } = route;
  return {
    config: {
      ...(permission && { permission }),
      ...(action && { action }),
      ...(objective && { objective }),
      ...(readsMany && { readsMany }),
      ...(largeBytes && { largeBytes }),
      errors: errorsOf(route),
    },
    schema: { ...request, ...documentation(route) } as Request & Documentation,
    validatorCompiler: validatedBy === 'handler' ? validatorOfQuery : validatorOfAllButPath,
    serializerCompiler,
    ...(request?.querystring && { schemaErrorFormatter: parameterErrors(request.querystring, invalid) }),
    preValidation: readQuery(request?.querystring, invalid),
    ...(data && 'items' in data.schema && { preSerialization: writeInTurns }),
    ok: (value: Static<Data>) => answerOf(data as Success<Data>, value),
  };
}

// For all routes, because making one takes some 10 ms.
const ajvOfAll = strictAjv({ allErrors: true });
const ajvOfQuery = strictAjv();
const validatorOf = compiledOnce((schema: TSchema) => ajvOfAll.compile(schema));
const validatorOfParameters = compiledOnce((schema: TSchema) => ajvOfQuery.compile(schema));

/** Makes the validator of all but the path: a text of another form is one that the handler does not find. */
const validatorOfAllButPath: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  httpPart === 'params' ? () => true : validatorOf(schema);

/** Checks the parameters of a route whose handler checks all else. */
const validatorOfQuery: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  httpPart === 'querystring' ? validatorOfParameters(schema) : () => true;

/** Compiles equal schemas once: each takes some milliseconds, and most errors share theirs. */
function compiledOnce<Schema extends object, Compiled>(compile: (schema: Schema) => Compiled) {
  const compiled = new Map<string, Compiled>();
  return (schema: Schema): Compiled => {
    const key = JSON.stringify(schema);
    const known = compiled.get(key) ?? compile(schema);
    compiled.set(key, known);
    return known;
  };
}
const serializerOf = compiledOnce((schema: object) => buildSerializer(schema));
const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => serializerOf(schema);

type Documentation = Omit<FastifySchema, keyof RequestSchemas | 'response'>;

function errorsOf({
  permission,
  request,
  invalid,
  errors = [],
}: Operation<RequestSchemas, TSchema>): ErrorCode[] {
  return [
    ...errors,
    ...new Set(Object.values(invalid ?? {})),
    ...(request?.querystring ? (['parameter-invalid'] as const) : []),
    ...(permission ? AUTHENTICATED : []),
    ...(permission === 'token' ? (['token-required'] as const) : []),
    ...(isNamed(permission) ? (['forbidden'] as const) : []),
    ...ALWAYS,
  ];
}

function documentation(route: Operation<RequestSchemas, TSchema>): Documentation {
  const { id, tag, summary, description, permission, actsAgain, request, consumes, data, responses } = route;
  const needs = isNamed(permission) ? `Requiere el permiso \`${permission}\`.` : '';
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, needs].filter(Boolean).join(' '),
    ...(consumes && { consumes }),
    security: permission ? [{ bearerAuth: [] }] : [],
    response: { ...(data && { 200: okResponse(data) }), ...responses },
    ...(needs && { 'x-permiso': permission }),
    ...(actsAgain && { 'x-no-repetir': true }),
    ...(IsOptional(request?.body) && { [BODY_MAY_BE_ABSENT]: true }),
  } as Documentation;
}

function isNamed(permission: FastifyContextConfig['permission']): boolean {
  return permission !== undefined && permission !== 'any' && permission !== 'token';
}

/** Stands in an operation's description where the sentence of a room above goes. */
export const ADDED_SENTENCE = '{{de otro cuarto}}';

/** What a room adds to the operations of rooms below. */
export type Additions = {
  /** Errors, by the ids of operations. */
  errors?: Readonly<Record<string, readonly ErrorCode[]>>;
  /** Sentences in descriptions, by the ids of operations. */
  sentences?: Readonly<Record<string, string>>;
  /** Fields, descriptions and examples of schemas, by their titles. */
  schemas?: Readonly<Record<string, AddedSchema>>;
  /** A credential in place of the token, with its security scheme of OpenAPI and its errors, wherever no token is demanded. */
  credential?: { name: string; scheme: object; errors: readonly ErrorCode[] };
};
type AddedSchema = {
  description?: string;
  properties?: Record<string, TSchema>;
  /** Values beside those of the schema's own. */
  enum?: readonly string[];
  'x-examples'?: object;
};

/**
 * Completes each operation: with what rooms add, and with its errors, from the table that answers them, so that the document
 * cannot differ. To be called before the routes are registered.
 *
 * @throws Error, at start, for an error that no room has.
 */
export function completeOperations(
  server: HttpServer,
  table: ErrorTable,
  additions: readonly Additions[],
): void {
  const schemas = addedByTitle(additions);
  server.addHook('onRoute', (route) => {
    const { errors, permission } = route.config ?? {};
    if (!errors || !route.schema) return;
    const schema = extended(route.schema, schemas) as Documentation & {
      operationId: string;
      description: string;
      response: object;
      body?: TSchema;
    };
    const { operationId: id, body } = schema;
    const credentials = additions.flatMap(({ credential }) => credential ?? []);
    const accepted = permission !== undefined && permission !== 'token' ? credentials : [];
    const codes = [
      ...errors,
      ...additions.flatMap((added) => added.errors?.[id] ?? []),
      ...accepted.flatMap((credential) => credential.errors),
    ];
    const sentences = additions.map((added) => added.sentences?.[id] ?? '').join('');
    const answers = { ...schema.response, ...errorResponses(table, codes) } as Record<string, Response>;
    route.schema = {
      ...schema,
      ...(body && { body: withNulls(body) }),
      description: schema.description.replace(ADDED_SENTENCE, () => sentences),
      security: [...(schema.security ?? []), ...accepted.map(({ name }) => ({ [name]: [] }))],
      response: withCommonHeaders(answers, permission !== undefined),
      'x-codigos': codigosByStatus(table, codes),
    } as FastifySchema;
  });
}

/** Two rooms may add to the same schema. */
function addedByTitle(additions: readonly Additions[]): Record<string, AddedSchema> {
  const all = additions.flatMap(({ schemas = {} }) => Object.entries(schemas));
  const joined: Record<string, AddedSchema> = {};
  for (const [title, added] of all) {
    const { properties, enum: values, 'x-examples': examples } = joined[title] ?? {};
    joined[title] = {
      ...joined[title],
      ...added,
      ...(properties && { properties: withFields(properties, added.properties) }),
      ...(values && { enum: [...values, ...(added.enum ?? [])] }),
      ...(examples && { 'x-examples': { ...examples, ...added['x-examples'] } }),
    };
  }
  return joined;
}

/** Returns a schema with what is added to those of its parts that have these titles. */
function extended(part: unknown, added: Readonly<Record<string, AddedSchema>>): unknown {
  if (Array.isArray(part)) return part.map((each) => extended(each, added));
  if (typeof part !== 'object' || part === null) return part;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, extended(value, added)]),
  );
  const more = typeof copy.title === 'string' ? added[copy.title] : undefined;
  for (const [name, value] of Object.entries(more ?? {})) {
    if (Array.isArray(value)) copy[name] = [...(copy[name] as unknown[]), ...value];
    else if (name === 'properties') copy[name] = withFields(copy[name] as Fields, value as Fields);
    else copy[name] = typeof value === 'object' ? { ...(copy[name] as object), ...value } : value;
  }
  return copy;
}

type Fields = Record<string, TSchema & { enum?: unknown[] }>;

/** Adds fields to those of a schema. Values of an `enum` that is there already are added to its own. */
function withFields(known: Fields = {}, added: Fields = {}): Fields {
  const fields = Object.entries(added).map(([name, field]) => {
    const values = known[name]?.enum;
    return [name, values && field.enum ? { ...known[name], enum: [...values, ...field.enum] } : field];
  });
  return { ...known, ...Object.fromEntries(fields) };
}

type Codes = Operation<RequestSchemas, TSchema>['invalid'];

/** Makes the error of parameters of the wrong form or range, with what each allows. */
function parameterErrors({ properties }: TObject, codes: Codes) {
  return (errors: FastifySchemaValidationError[]): DomainError => {
    // A parameter that is missing is no part of what was sent.
    const nameOf = ({ instancePath, keyword, params }: FastifySchemaValidationError) =>
      keyword === 'required' ? String(params.missingProperty) : instancePath.slice(1);
    const names = new Set(errors.map(nameOf));
    const problems = [...names].map((campo) =>
      parameterProblem(campo, ruleOf(properties[campo] ?? {}), codes),
    );
    return problemsError(problems);
  };
}

function parameterProblem(campo: string, rule: string, codes: Codes = {}): Problem {
  return { campo, code: codes[campo] ?? 'parameter-invalid', params: { rule } };
}

/** Makes an error that is told by its first problem. */
function problemsError(problems: readonly Problem[]): DomainError {
  const { campo, code } = problems[0] as Problem;
  return new DomainError(code, { params: { campo }, problems });
}

/**
 * Makes a preValidation hook that refuses unknown parameters and repeated ones, and parses integers. An integer has
 * digits only, at most as many as its maximum. Ajv's coercion would also accept ` 5`, `0x5` and `5e0`.
 *
 * The hook throws DomainError `parameter-unknown`: a misspelt parameter must not be ignored.
 */
function readQuery(schema: TObject | undefined, codes: Codes) {
  const known = (schema?.properties ?? {}) as Record<string, { type?: string; maximum?: number }>;
  const names = Object.keys(known);
  const integers = Object.entries(known)
    .filter(([, { type }]) => type === 'integer')
    .map(([name, { maximum }]) => ({ name, form: new RegExp(`^[0-9]{1,${String(maximum).length}}$`) }));
  return async (request: FastifyRequest): Promise<void> => {
    const query = request.query as Record<string, unknown>;
    const sent = Object.keys(query);
    const unknown = sent.filter((name) => !Object.hasOwn(known, name));
    if (unknown.length > 0) throw problemsError(unknown.map((name) => unknownParameter(name, names)));
    const repeated = sent.filter((name) => Array.isArray(query[name]));
    if (repeated.length > 0) {
      throw problemsError(repeated.map((name) => parameterProblem(name, ONCE_RULE, codes)));
    }
    for (const { name, form } of integers) {
      const text = query[name];
      if (typeof text === 'string' && form.test(text)) query[name] = Number(text);
    }
  };
}

function unknownParameter(name: string, known: readonly string[]): Problem {
  const campo = name.slice(0, MAX_NAME_LENGTH);
  return { campo, code: 'parameter-unknown', params: { rule: namesRule(campo, known) } };
}
