import { isDeepStrictEqual } from 'node:util';
import swagger, { type SwaggerTransformObject } from '@fastify/swagger';
import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiOptions } from '../config.ts';
import service from '../package.json' with { type: 'json' };
import { WEBHOOKS } from './webhooks.ts';

const DESCRIPTION = `Crea guías de envío y genera sus etiquetas en PDF. [La guía para integradores](/api/docs) lo explica paso a paso, y [una página](/api/docs/probar) lo prueba sin programar.

1. \`POST /api/auth/login\` con los headers \`X-Username\` y \`X-Password\` da un token de acceso.
2. Las demás operaciones llevan \`Authorization: Bearer <token>\`.

Crear guías, cancelar una, hacer un manifiesto, registrar eventos, administrar webhooks y cerrar la sesión cambian algo; las demás operaciones solo leen. Todas se pueden repetir, salvo crear guías y manifiestos, que dicen cuándo, registrar un webhook y simular.

Toda respuesta lleva \`X-Request-Id\`: cítelo al pedir ayuda.`;

/**
 * The subjects of operations, in the order of the guide for integrators. Generated clients name files after a subject, so
 * `name` is ASCII; people read the other name.
 */
export const TAGS = {
  Guias: { 'x-displayName': 'Guías', description: 'Crear, leer y cancelar guías, y validarlas antes' },
  Etiquetas: { 'x-displayName': 'Etiquetas', description: 'Una, en PDF, PNG o ZPL; o muchas, en un archivo' },
  Manifiestos: {
    'x-displayName': 'Manifiestos',
    description: 'La lista de lo que se entrega, para firma y sello',
  },
  Eventos: { 'x-displayName': 'Eventos', description: 'Qué pasó con las guías, y cómo seguirlo' },
  Webhooks: { 'x-displayName': 'Webhooks', description: 'Recibir los eventos sin preguntar' },
  Sucursales: { 'x-displayName': 'Sucursales', description: 'Sucursales, cobertura y códigos postales' },
  Autenticacion: { 'x-displayName': 'Autenticación', description: 'Entrar, validar el token, permisos' },
} as const;

/**
 * Serves the OpenAPI 3.1 document at `/api/openapi.json`. To be registered before the routes, whose schemas it
 * collects. Without `PUBLIC_URL` the server address is relative.
 */
export const openapi = fp(async (server: HttpServer, { config }: ApiOptions) => {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Guias de envio', // generators name packages after it, letter by ASCII letter
        version: service.version,
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: config.PUBLIC_URL ?? '/' }],
      tags: Object.entries(TAGS).map(([name, tag]) => ({ name, ...tag })),
      components: {
        securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
    },
    hideUntagged: true,
    transformObject: completeDocument as SwaggerTransformObject,
  });
  let text: string | undefined;
  server.get('/api/openapi.json', async (_request, reply) => {
    text ??= JSON.stringify(server.swagger());
    return reply.type('application/json; charset=utf-8').send(text);
  });
});

type Part = Record<string, unknown>;
type Document = { paths: object; components?: object };

/**
 * Adds the messages to webhooks. Moves each schema with a `title` to the components of the document, and refers to it
 * there. Generated clients name their types so.
 *
 * @throws Error if two different schemas have one title.
 */
function completeDocument({
  openapiObject: document,
}: {
  openapiObject: Document;
}): Document & { webhooks: object } {
  const schemas: Record<string, Part> = {};
  const move = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(move);
    if (typeof part !== 'object' || part === null) return part;
    const { title, ...rest }: Part = Object.fromEntries(
      Object.entries(part).map(([name, value]) => [name, move(value)]),
    );
    // A field may have the name `title`; its value is a schema.
    if (typeof title !== 'string') return title === undefined ? rest : { ...rest, title };
    if (schemas[title] && !isDeepStrictEqual(schemas[title], rest)) {
      throw new Error(`Two schemas of the OpenAPI document have the title ${title}`);
    }
    schemas[title] = rest;
    return { $ref: `#/components/schemas/${title}` };
  };
  const paths = move(document.paths) as object;
  const webhooks = move(WEBHOOKS) as object;
  const byName = Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...document,
    paths,
    webhooks,
    components: { ...document.components, schemas: Object.fromEntries(byName) },
  };
}
