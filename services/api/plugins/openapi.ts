import swagger, { type SwaggerTransformObject } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import service from '../package.json' with { type: 'json' };
import { TAGS } from '../routes/operation.ts';
import { nameSchemasOf } from './named-schemas.ts';

const DESCRIPTION = `Crea guías de envío y genera sus etiquetas en PDF. [La guía para integradores](/api/docs) lo explica paso a paso.

1. \`POST /api/auth/login\` con los headers \`X-Username\` y \`X-Password\` da un token de acceso.
2. Las demás operaciones llevan \`Authorization: Bearer <token>\`. En esta página, al entrar con el paso 1 el token queda puesto.

Crear guías, cancelar una y cerrar la sesión cambian algo; las demás operaciones solo leen. Todas se pueden repetir, salvo crear: cuándo, está en su descripción.

Toda respuesta lleva \`X-Request-Id\`: cítelo al pedir ayuda.`;

/** A script of the page: after a login it puts the token where the button "Authorize" would put it. */
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

/**
 * What the page at `/api/docs/probar` may load. The plugin's own policy would also trust other hosts, and make browsers ask
 * for https where there is none.
 */
const PAGE_POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/**
 * Serves the OpenAPI 3.1 document at `/api/openapi.json`, made from the routes' own schemas, and a page to try it at
 * `/api/docs/probar`. To be registered before the routes.
 *
 * @param publicUrl where clients reach the API; without it, where they have got the document from.
 */
export function openapi(publicUrl = '/') {
  return fp(
    async (server: HttpServer) => {
      await server.register(swagger, {
        openapi: {
          openapi: '3.1.0',
          info: {
            title: 'Guías de envío',
            version: service.version,
            description: DESCRIPTION,
            license: { name: 'MIT', identifier: 'MIT' },
          },
          servers: [{ url: publicUrl }],
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
    },
    { name: 'openapi' },
  );
}

type OpenApiDocument = { paths?: Record<string, Record<string, { tags?: string[] }>> };

/**
 * Returns the document as the page shows it. The page tries requests on the server that it comes from: it may connect to no
 * other. It shows a tag's name, where generators of clients need ASCII.
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
