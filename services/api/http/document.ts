import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import swagger, { type SwaggerTransformObject } from '@fastify/swagger';
import type { HttpServer } from '#shared/http/http-server.ts';
import { SUBJECTS } from '#shared/rooms.ts';
import type { ApiConfig } from '../config.ts';
import service from '../package.json' with { type: 'json' };
import { sendCompressed } from './compressed.ts';
import { codigosOf, type ErrorTable } from './errors.ts';
import { type Additions, BODY_MAY_BE_ABSENT, completeOperations } from './operation.ts';
import { ALL_CODIGOS } from './schemas.ts';

/** What the document has of the rooms: its introduction, guide, errors, what they add to operations of others, and what they send. */
type Documented = {
  description: string;
  /** Path of the guide for integrators. */
  guide: string | undefined;
  errors: ErrorTable;
  additions: readonly Additions[];
  messages: object;
};

/**
 * Serves the OpenAPI 3.1 document at `/api/openapi.json`. To be called before the routes, whose schemas it
 * collects. Without `PUBLIC_URL` the server address is relative.
 */
export async function serveDocument(
  server: HttpServer,
  { PUBLIC_URL }: ApiConfig,
  { description, guide, errors, additions, messages }: Documented,
): Promise<void> {
  completeOperations(server, errors, additions);
  const codigos = [...new Set(Object.keys(errors).flatMap((code) => codigosOf(errors, code)))].toSorted();
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Guias de envio', // generators name packages after it, letter by ASCII letter
        version: service.version,
        description: description || 'Guías de envío y sus etiquetas',
        contact: {
          name: 'El transportista',
          // A contact's address is absolute.
          ...(PUBLIC_URL && guide && { url: PUBLIC_URL + guide }),
        },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: PUBLIC_URL ?? '/' }],
      tags: Object.entries(SUBJECTS).map(([tag, { name, description }]) => ({
        ...{ name: tag, 'x-displayName': name, description },
      })),
      components: {
        securitySchemes: {
          bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          ...Object.fromEntries(
            additions.flatMap(({ credential }) => (credential ? [[credential.name, credential.scheme]] : [])),
          ),
        },
      },
    },
    hideUntagged: true,
    transformObject: completeDocument(codigos, adviceOf(errors), messages) as SwaggerTransformObject,
  });
  let document: { content: string; compressed: Buffer } | undefined;
  server.get('/api/openapi.json', async (request, reply) => {
    document ??= withCompressed(JSON.stringify(server.swagger()));
    return sendCompressed(request, reply.type('application/json; charset=utf-8'), document);
  });
}

/** Returns what to do about each `codigo`, by the alphabet. */
function adviceOf(errors: ErrorTable): Record<string, string> {
  const advised = Object.values(errors).flatMap(({ codigo, advice }) =>
    codigo !== undefined && advice !== undefined ? [[codigo, advice] as const] : [],
  );
  return Object.fromEntries(advised.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** A fourteenth of the bytes: people on phones wait for it too. */
function withCompressed(content: string) {
  return { content, compressed: gzipSync(content) };
}

type Part = Record<string, unknown>;
type Paths = Record<string, Record<string, Part>>;
type Document = { tags: { name: string }[]; paths: object; components?: object };

/**
 * Returns a function that adds the messages that are sent, names every `codigo`, and says what to do about it. It moves each schema with a `title` to
 * the components of the document, and refers to it there: generated clients name their types so.
 *
 * @throws Error, from that function, if two different schemas have one title.
 */
function completeDocument(codigos: readonly string[], advice: object, messages: object) {
  return ({ openapiObject }: { openapiObject: Document }) => ({
    ...completed(openapiObject, codigos, messages),
    'x-consejos': advice,
  });
}

function completed(
  document: Document,
  codigos: readonly string[],
  messages: object,
): Document & { webhooks: object } {
  const schemas: Record<string, Part> = {};
  const move = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(move);
    if (typeof part !== 'object' || part === null) return part;
    const { title, ...rest }: Part = Object.fromEntries(
      Object.entries(part).map(([name, value]) =>
        name === ALL_CODIGOS ? ['x-extensible-enum', codigos] : [name, move(value)],
      ),
    );
    // A field may have the name `title`; its value is a schema.
    if (typeof title !== 'string') return title === undefined ? rest : { ...rest, title };
    if (schemas[title] && !isDeepStrictEqual(schemas[title], rest)) {
      throw new Error(`Two schemas of the OpenAPI document have the title ${title}`);
    }
    schemas[title] = rest;
    return { $ref: `#/components/schemas/${title}` };
  };
  const paths = mapOperations(move(document.paths) as Paths, withOptionalBody);
  const operations = Object.values(document.paths).flatMap((methods: Record<string, { tags: string[] }>) =>
    Object.values(methods),
  );
  const used = new Set(operations.flatMap(({ tags }) => tags));
  const webhooks = move(messages) as object;
  const byName = Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...document,
    tags: document.tags.filter(({ name }) => used.has(name)),
    paths: bySubject(paths, document.tags),
    webhooks,
    components: { ...document.components, schemas: Object.fromEntries(byName) },
  };
}

/** Orders paths by their subjects, as the guide does: readers meet the creation of guides first, and not the login. */
function bySubject(paths: Paths, subjects: Document['tags']): Paths {
  const placeOf = ([, methods]: [string, Record<string, Part>]) => {
    const [{ tags = [] } = {}] = Object.values(methods) as { tags?: string[] }[];
    return subjects.findIndex(({ name }) => name === tags[0]);
  };
  return Object.fromEntries(Object.entries(paths).toSorted((one, other) => placeOf(one) - placeOf(other)));
}

function mapOperations(paths: Paths, change: (operation: Part) => Part): Paths {
  const changed = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, change(operation)])),
  ]);
  return Object.fromEntries(changed);
}

/** Fastify's plugin says of every body that it is required. */
function withOptionalBody({ [BODY_MAY_BE_ABSENT]: mayBeAbsent, ...operation }: Part): Part {
  if (!mayBeAbsent) return operation;
  return { ...operation, requestBody: { ...(operation.requestBody as Part), required: false } };
}
