import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect } from 'vitest';
import { ROOMS } from '#services/api/app.ts';
import { codigosOf } from '#services/api/http/errors.ts';
import { encodeCursor as encodePosition } from '#services/api/http/list-parameters.ts';
import { BODY_MAY_BE_ABSENT } from '#services/api/http/operation.ts';
import { errorsOf } from '#services/api/http/room.ts';
import { encodeCursor } from '#services/api/tracking/read-events.ts';
import { eventsMessage, newsMessage, signedHeaders, testEvent } from '#services/webhooks/message.ts';
import { commonHttpErrors, type HttpError } from '#shared/http/http-errors.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { newSecret } from '#shared/webhooks/webhook-secrets.ts';
import { call, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

const httpErrors = errorsOf(ROOMS);

type Content = Record<string, { schema: { $ref: string }; examples?: Record<string, { value: unknown }> }>;
type Documented = {
  operationId: string;
  description: string;
  tags: string[];
  security: object[];
  parameters?: { name: string; schema: { pattern?: string } }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { description: string; headers?: object; content?: Content }>;
  'x-codigos': Record<string, string[]>;
};
type OpenApi = {
  'x-consejos': Record<string, string>;
  info: { contact: { name: string; url?: string } };
  servers: object[];
  tags: { name: string; 'x-displayName': string }[];
  paths: Record<string, Record<string, Documented>>;
  webhooks: Record<string, { post: Documented & { parameters: { name: string }[] } }>;
  components: {
    schemas: Record<
      string,
      { properties?: Record<string, { type?: string | string[] }>; required?: string[] }
    >;
    securitySchemes: object;
  };
};

/** Of pages for people, which the document of the API does not describe. */
const OF_PAGES_ALONE = ['too-many-prints', 'refusal-not-found'];
/** The specification gives paths with a word before the number, and `{guia}` is digits alone: no request is for both. */
const AMBIGUOUS =
  /^no-ambiguous-paths: .*: `\/api\/guias\/[a-z0-9{}/-]+` and `\/api\/guias\/[a-z0-9{}/-]+`\.$/;

const test = services
  .extend('text', { scope: 'file' }, async ({ api }) => (await fetch(`${api.url}/api/openapi.json`)).text())
  .extend('document', { scope: 'file' }, ({ text }): OpenApi => JSON.parse(text))
  .extend('messages', { scope: 'file' }, ({ document }) =>
    Object.entries(document.webhooks).map(([name, { post }]) => ({ ...post, name })),
  )
  .extend('operations', { scope: 'file' }, ({ document }) =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        name: `${method.toUpperCase()} ${path}`,
        id: operation.operationId,
      })),
    ),
  );

const ENTRY = {
  told: {
    ...{ Guia: '390458235877', Id: 'E1', Tipo: 'Entregado', Ocurrido: '2026-11-22T19:05:00.000Z' },
    ...{ Sucursal: 'MTY01', Paquete: 1, Recibe: 'Luis' },
  },
  ...{ status: 'Entregado', version: 4, reference: 'PEDIDO-1042', registered: new Date() },
} as LogEntry;

/** Reads Fastify's tree of routes, in which each line is a part of a path below that of a shorter indent. */
function routesOf(tree: string): string[] {
  const parts: string[] = [];
  return [...tree.matchAll(/^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/gm)].flatMap(
    ([, indent = '', part = '', methods]) => {
      parts.splice(indent.length / 4, Number.POSITIVE_INFINITY, part);
      // A parameter may have a pattern behind its name.
      const path = parts.join('').replace(/:(\w+)(?:\(\^.*\$\))?/g, '{$1}');
      const names = methods?.split(', ').filter((method) => method !== 'HEAD') ?? [];
      return names.map((method) => `${method} ${path}`);
    },
  );
}

/** Returns null for each field that a schema does not require. */
function nullsOf(document: OpenApi, name: string): Record<string, null> {
  return Object.fromEntries(optionalsOf(document, name).map(([field]) => [field, null]));
}

/** Returns "" for each text that a schema does not require. */
function emptiesOf(document: OpenApi, name: string): Record<string, ''> {
  const texts = optionalsOf(document, name).filter(([, { type }]) => type?.includes('string'));
  return Object.fromEntries(texts.map(([field]) => [field, '']));
}

function optionalsOf({ components }: OpenApi, name: string): [string, { type?: string | string[] }][] {
  const { properties = {}, required = [] } = components.schemas[name] ?? {};
  return Object.entries(properties).filter(([field]) => !required.includes(field));
}

/** Finds schemas with properties which stand in a part of the document without a name. */
function unnamedObjects(part: unknown): unknown[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = 'type' in part && part.type === 'object' && 'properties' in part ? [part] : [];
  return [...own, ...Object.values(part).flatMap(unnamedObjects)];
}

/** Returns the message of a topic of a room, with the entry that the document shows as an example. */
function newsOf(content: Content = {}) {
  const { value } = content['application/json']?.examples?.ejemplo ?? {};
  const { type, data } = value as { type: string; data: Record<string, Record<string, unknown>[]> };
  const [[list = '', [entry = {}] = []] = []] = Object.entries(data);
  return newsMessage({ id: 'w' }, type, { number: 1, at: new Date(), list, entry });
}

describe('/api/openapi.json', () => {
  test('passes a strict linter, but for paths that the specification gives', async ({ text }) => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: text, config });
    const said = problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
    expect(said.filter((problem) => !AMBIGUOUS.test(problem))).toEqual([]);
  });

  test('says who helps, with the address of the guide', async ({ document, startApi }) => {
    expect(document.info.contact).toEqual({ name: 'El transportista' });
    const { url } = await startApi({ PUBLIC_URL: 'https://guias.example' });
    const { info } = (await call(`${url}/api/openapi.json`)).body as unknown as OpenApi;
    expect(info.contact.url).toBe('https://guias.example/api/docs');
  });

  test('describes each operation, and shows a body of each that takes JSON', ({ operations }) => {
    for (const { name, description, requestBody } of operations) {
      expect([name, description]).toEqual([name, expect.stringMatching(/\w/)]);
      const json = requestBody?.content['application/json'];
      if (json) {
        expect([name, Object.keys(json.examples ?? {}).length]).toEqual([
          name,
          expect.toSatisfy((n) => n > 0),
        ]);
      }
    }
  });

  test('takes a key in place of a token, but where a key is no key to', ({ document, operations }) => {
    expect(Object.keys(document.components.securitySchemes)).toEqual(['bearerAuth', 'llave']);
    const taking = (names: string[]) =>
      operations
        .filter(({ security }) => security.flatMap(Object.keys).join() === names.join())
        .map(({ id }) => id)
        .toSorted();
    expect(taking([])).toEqual(['cambiarContrasena', 'iniciarSesion']);
    expect(taking(['bearerAuth'])).toEqual(['cerrarSesion', 'crearLlave', 'listarLlaves', 'terminarLlave']);
    expect(taking(['bearerAuth', 'llave'])).toHaveLength(operations.length - 6);
  });

  test.for([
    ['field', 'null', nullsOf],
    ['text', 'empty', emptiesOf],
  ] as const)(
    'says of each optional %s of a guide that it may be %s, as it may',
    async ([, , optionalsAre], { demo, document }) => {
      const guide = minimalGuide();
      const body = {
        TipoServicio: 'Domicilio',
        Guia: [
          {
            ...optionalsAre(document, 'Guia'),
            Remitente: { ...optionalsAre(document, 'Remitente'), ...guide.Remitente },
            Destinatario: { ...optionalsAre(document, 'Destinatario'), ...guide.Destinatario },
            Producto: { ...optionalsAre(document, 'Producto'), ...guide.Producto },
            Creado_por: optionalsAre(document, 'CreadoPor'),
          },
        ],
      };
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema({ $id: 'document', components: document.components });
      const validate = ajv.compile({ $ref: 'document#/components/schemas/SolicitudDeGuias' });
      validate(body);
      expect(validate.errors ?? 'valid').toBe('valid');
      expect((await demo.post('/api/guias/validar', body)).status).toBe(200);
      expect(JSON.stringify(document.components.schemas.RemitenteDeGuia)).not.toContain('null');
    },
  );

  test('requires a body but of the one operation that does without', ({ operations }) => {
    const optional = operations.filter(({ requestBody }) => requestBody?.required === false);
    expect(optional.map(({ id }) => id)).toEqual(['activarWebhook']);
    expect(JSON.stringify(operations)).not.toContain(BODY_MAY_BE_ABSENT);
  });

  test('gives cursors the form that they have', ({ operations }) => {
    const form = (id: string) => {
      const { parameters = [] } = operations.find((operation) => operation.id === id) ?? {};
      return new RegExp(parameters.find(({ name }) => name === 'cursor')?.schema.pattern ?? '$.');
    };
    for (const number of [0, 9, 10, 123, 999_999_999_999]) {
      expect(encodeCursor(number)).toMatch(form('listarEventos'));
    }
    const createdAt = '2026-11-21T05:05:10';
    expect(encodePosition({ createdAt, _id: '390458235877' })).toMatch(form('listarGuias'));
    expect(encodePosition({ createdAt, _id: 'M48291365074' })).toMatch(form('listarManifiestos'));
  });

  test('has every route of the server, and no other', ({ api, operations }) => {
    const routes = routesOf(api.server.printRoutes({ commonPrefix: false }));
    const pages = routes.filter((route) => /^\w+ \/api\/(?!docs|openapi\.json)/.test(route));
    expect(pages.toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
  });

  test('gives every object of the wire a name, and every name to one object', ({ document }) => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        ...['Remitente', 'Destinatario', 'Producto', 'CreadoPor', 'Guia', 'SolicitudDeGuias'],
        ...['GuiaCreada', 'GuiaCompleta', 'Sucursal', 'Problema', 'RespuestaError', 'RespuestaGuiasCreadas'],
      ]),
    );
    expect(unnamedObjects([document.paths, document.webhooks])).toEqual([]);
    for (const [name, { properties }] of Object.entries(document.components.schemas)) {
      expect([name, unnamedObjects(properties)]).toEqual([name, []]);
    }
  });

  test('has no example that its schema refuses', ({ document, operations, messages }) => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    ajv.addSchema({ $id: 'document', components: document.components });
    let examples = 0;
    for (const { name, requestBody, responses } of [...operations, ...messages]) {
      for (const { content = {} } of [...Object.values(responses), ...(requestBody ? [requestBody] : [])]) {
        const json = content['application/json'];
        if (!json) continue;
        const { schema } = json;
        const validate = ajv.compile({ $ref: `document${schema.$ref}` });
        for (const [title, { value }] of Object.entries(json.examples ?? {})) {
          examples++;
          validate(value);
          expect([name, title, validate.errors ?? 'valid']).toEqual([name, title, 'valid']);
        }
      }
    }
    expect(examples).toBeGreaterThan(100);
  });

  test('names by status the codes of each operation, all of which the one table has', ({ operations }) => {
    const known = Object.keys(httpErrors).flatMap((code) => codigosOf(httpErrors, code));
    for (const { name, responses, 'x-codigos': codigos } of operations) {
      const refusals = Object.keys(responses).filter((status) => Number(status) >= 400);
      expect([name, Object.keys(codigos)]).toEqual([name, refusals]);
      for (const [status, codes] of Object.entries(codigos)) {
        expect([name, known]).toEqual([name, expect.arrayContaining(codes)]);
        for (const code of codes) expect(responses[status]?.description).toContain(`\`${code}\``);
      }
    }
  });

  test('says what to do about each code', ({ document, operations }) => {
    const named = operations.flatMap(({ 'x-codigos': codigos }) => Object.values(codigos).flat());
    const without = named.filter((codigo) => !document['x-consejos'][codigo]);
    expect(without).toEqual([]);
  });

  test('has no error without a code and a text', ({ operations }) => {
    const filled = expect.stringMatching(/./);
    for (const { name, responses, 'x-codigos': codigos } of operations) {
      for (const status of Object.keys(codigos)) {
        const { examples = {} } = responses[status]?.content?.['application/json'] ?? {};
        for (const [title, { value }] of Object.entries(examples)) {
          expect([name, title, value]).toEqual([
            ...[name, title],
            expect.objectContaining({ codigo: filled, message: filled }),
          ]);
        }
      }
    }
  });

  test('has the messages that webhooks receive, as they are sent', ({ document, messages }) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'document', components: document.components });
    const topics = messages.slice(2).map(({ requestBody }) => newsOf(requestBody?.content));
    const sent = [eventsMessage({ id: 'w', cursor: 0 }, [ENTRY], 1), testEvent(new Date()), ...topics];
    expect(messages.map(({ name }) => name)).toEqual(sent.map(({ body }) => JSON.parse(body).type));
    for (const [i, { name, parameters, requestBody }] of messages.entries()) {
      const [message] = sent.slice(i);
      if (!message) throw new Error(name);
      const headers = Object.keys(signedHeaders(message, [newSecret()], new Date()));
      expect(parameters.map(({ name }) => name)).toEqual(headers);
      const schema = requestBody?.content['application/json']?.schema.$ref;
      const validate = ajv.compile({ $ref: `document${schema}` });
      validate(JSON.parse(message.body));
      expect([name, validate.errors ?? 'valid']).toEqual([name, 'valid']);
    }
  });

  test('says where clients reach the API', async ({ document, startApi }) => {
    expect(document.servers).toEqual([{ url: '/' }]);
    const { url } = await startApi({ PUBLIC_URL: 'https://guias.example' });
    expect((await call(`${url}/api/openapi.json`)).body).toMatchObject({
      servers: [{ url: 'https://guias.example' }],
    });
  });

  test('shows every message that the API can answer', async ({ text }) => {
    for (const [code, { message, advice }] of Object.entries<HttpError>(httpErrors)) {
      const documented =
        advice !== undefined && !(code in commonHttpErrors) && !OF_PAGES_ALONE.includes(code);
      if (documented && typeof message === 'string') {
        expect(text).toContain(JSON.stringify(message).slice(1, -1));
      }
    }
    expect(text).toContain('No hay cobertura para el código postal: 99999');
  });
});
