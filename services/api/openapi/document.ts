import { isDeepStrictEqual } from 'node:util';
import swagger, { type SwaggerTransformObject } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { pagePolicy } from '#shared/http/security-headers.ts';
import type { ApiOptions } from '../config.ts';
import service from '../package.json' with { type: 'json' };

const DESCRIPTION = `Crea guías de envío y genera sus etiquetas en PDF. [La guía para integradores](/api/docs) lo explica paso a paso.

1. \`POST /api/auth/login\` con los headers \`X-Username\` y \`X-Password\` da un token de acceso.
2. Las demás operaciones llevan \`Authorization: Bearer <token>\`. En esta página, al entrar con el paso 1 el token queda puesto.

Crear guías, cancelar una, registrar eventos, administrar webhooks y cerrar la sesión cambian algo; las demás operaciones solo leen. Todas se pueden repetir, salvo crear guías, que dice cuándo, registrar un webhook y simular.

Toda respuesta lleva \`X-Request-Id\`: cítelo al pedir ayuda.`;

/** After a login, puts the token where the button "Authorize" puts it. */
const AUTHORIZE_ON_LOGIN = `
const bundle = window.SwaggerUIBundle;
window.SwaggerUIBundle = Object.assign((config) => {
  const ui = bundle({
    ...config,
    responseInterceptor(response) {
      if (response.ok && response.url.endsWith('/api/auth/login')) {
        ui.preauthorizeApiKey('bearerAuth', response.obj.data.access_token);
      }
      return response;
    },
  });
  return ui;
}, bundle);
`;

/** Content security policy of `/api/docs/probar`. The plugin's own would trust other hosts and force https. */
const PAGE_POLICY = pagePolicy({
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
});

/** A group of operations. Generated clients name files after it, so `name` is ASCII; people read the other name. */
export const TAGS = {
  Autenticacion: { 'x-displayName': 'Autenticación', description: 'Entrar, validar el token, permisos' },
  Guias: { 'x-displayName': 'Guías', description: 'Crear, leer y cancelar guías, y validarlas antes' },
  Etiquetas: { 'x-displayName': 'Etiquetas', description: 'Una, en PDF, PNG o ZPL; o muchas, en un archivo' },
  Eventos: { 'x-displayName': 'Eventos', description: 'Qué pasó con las guías, y cómo seguirlo' },
  Webhooks: { 'x-displayName': 'Webhooks', description: 'Recibir los eventos sin preguntar' },
  Sucursales: { 'x-displayName': 'Sucursales', description: 'Sucursales, cobertura y códigos postales' },
} as const;

/**
 * Serves the OpenAPI 3.1 document at `/api/openapi.json` and a page to try it at `/api/docs/probar`. To be registered
 * before the routes, whose schemas it collects. Without `PUBLIC_URL` the server address is relative.
 */
export const openapi = fp(async (server: HttpServer, { config }: ApiOptions) => {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Guías de envío',
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
    transformObject: nameSchemasOf as SwaggerTransformObject,
  });
  await server.register(swaggerUi, {
    routePrefix: '/api/docs/probar',
    staticCSP: PAGE_POLICY,
    uiConfig: {
      docExpansion: 'list',
      persistAuthorization: false,
      tryItOutEnabled: true,
      deepLinking: true,
      layout: 'BaseLayout', // without Swagger's own bar
    },
    theme: {
      title: 'Guías de envío',
      js: [{ filename: 'authorize-on-login.js', content: AUTHORIZE_ON_LOGIN }],
    },
    transformSpecification: (document) => forPeople(document as OpenApiDocument),
    transformSpecificationClone: false,
  });
  server.get('/api/openapi.json', () => server.swagger());
});

type OpenApiDocument = { paths?: Record<string, Record<string, { tags?: string[] }>> };

/**
 * Returns the document for the page, which may connect only to its own server. It shows tags by their names for
 * people.
 */
function forPeople({ paths = {}, ...document }: OpenApiDocument) {
  const inWords = (tag: string) => (tag in TAGS ? TAGS[tag as keyof typeof TAGS]['x-displayName'] : tag);
  const operations = ({ ...methods }: Record<string, { tags?: string[] }>) =>
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        { ...operation, tags: operation.tags?.map(inWords) },
      ]),
    );
  return {
    ...document,
    servers: [{ url: '/' }],
    tags: Object.values(TAGS).map(({ 'x-displayName': name, description }) => ({ name, description })),
    paths: Object.fromEntries(Object.entries(paths).map(([path, methods]) => [path, operations(methods)])),
  };
}

type Part = Record<string, unknown>;
type Document = { paths: object; components?: object };

/**
 * Moves each schema with a `title` to the components of the document, and refers to it there. Generated clients name
 * their types so.
 *
 * @throws Error if two different schemas have one title.
 */
function nameSchemasOf({ openapiObject: document }: { openapiObject: Document }): Document {
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
  const byName = Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, paths, components: { ...document.components, schemas: Object.fromEntries(byName) } };
}
