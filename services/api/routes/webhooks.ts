import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AuditEvent } from '#shared/audit/audit-store.ts';
import { splitList } from '#shared/config/networks.ts';
import { publicOrIn } from '#shared/contracts/public-address.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { acceptOnlyJson } from '#shared/http/request-bodies.ts';
import { MAX_ATTEMPTS, MAX_WEBHOOKS } from '#shared/stores/webhook-store.ts';
import type { ApiOptions } from '../config.ts';
import type { ApiErrorCode } from '../errors.ts';
import { apiUser } from '../hooks/authenticate.ts';
import { ignoreBodies } from '../hooks/ignored-body.ts';
import { FEED_EXAMPLE } from '../openapi/examples.ts';
import { BODY_ERRORS, operation } from '../openapi/operation.ts';
import { FeedEvent, Nothing } from '../openapi/schemas.ts';
import {
  Activation,
  ChangedWebhook,
  NewWebhook,
  parseActivation,
  parseChange,
  parseWebhook,
  type UrlRule,
} from '../webhooks/webhook-request.ts';
import {
  activateWebhook,
  addWebhook,
  changeSecret,
  changeWebhook,
  listWebhooks,
  MAX_PENDING,
  probeWebhook,
  readWebhook,
  removeWebhook,
  skipMessage,
} from '../webhooks/webhooks.ts';
import { audit } from './common/audit.ts';

const permission = 'webhooks.admin';
const tag = 'Webhooks';
const params = Type.Object({ id: Type.String({ description: 'Id del webhook', examples: ['d5b0c9e2'] }) });
/** Errors of a body that the handler validates. */
const FIELD_ERRORS = [
  'invalid-json',
  'field-type',
  'field-invalid',
  'field-too-long',
  'field-unknown',
  ...BODY_ERRORS,
] as const;

const IDENTITY = {
  Id: Type.String(),
  Url: Type.String(),
  Descripcion: Type.String(),
  Activo: Type.Boolean({
    description: 'Falso cuando se apagó: tras 410, tras cinco días sin éxito, o por su cuenta',
  }),
  Tipos: Type.Optional(
    Type.Array(Type.String(), { description: 'Los tipos de eventos que recibe; vacío, todos' }),
  ),
};
const SECRET = Type.String({
  description: 'Clave de la firma, como la define Standard Webhooks. Se muestra esta única vez',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
});
const MOMENT = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
/** How a message went. */
const OUTCOME = {
  Tomado: Type.Boolean(),
  Ms: Type.Integer({ description: 'Cuánto tardó, en milisegundos' }),
  Estatus: Type.Optional(Type.Integer({ description: 'El de HTTP, si respondió' })),
  Motivo: Type.Optional(Type.String({ description: 'Por qué no se tomó' })),
};
const STATE = {
  ...IDENTITY,
  Pendientes: Type.Integer({
    maximum: MAX_PENDING,
    description: `Eventos sin tomar, hasta ${MAX_PENDING}; también los que \`Tipos\` deja fuera y aún no se revisan`,
  }),
  UltimoExito: MOMENT,
  UltimoFallo: Type.Union([
    Type.Object({ Ocurrido: Type.String(), Motivo: Type.String() }, { title: 'FalloDeWebhook' }),
    Type.Null(),
  ]),
  ProximoIntento: MOMENT,
};
const WebhookAnswer = Type.Object(STATE, {
  title: 'Webhook',
  description: 'Un webhook de la cuenta, y cómo va',
});
const WebhookDetail = Type.Object(
  {
    ...STATE,
    Intentos: Type.Array(
      Type.Object({ Ocurrido: Type.String(), ...OUTCOME }, { title: 'IntentoDeWebhook' }),
      { maxItems: MAX_ATTEMPTS, description: `Los últimos ${MAX_ATTEMPTS}, el más nuevo primero` },
    ),
  },
  { title: 'WebhookConIntentos', description: 'Un webhook de la cuenta, con sus últimos intentos' },
);
const ActivatedWebhook = Type.Object(
  {
    ...STATE,
    Saltados: Type.Optional(
      Type.Array(FeedEvent, { description: 'Con `saltar`: los eventos que no llegarán' }),
    ),
  },
  { title: 'WebhookActivado', description: 'Un webhook de la cuenta, otra vez encendido' },
);
const ID = '0b0f8a4e-2f2c-4a56-9d55-2d1f0b8e1f0c';
const IDENTITY_EXAMPLE = {
  Id: ID,
  Url: 'https://tienda.example/guias',
  Descripcion: 'Tienda',
  Activo: true,
  Tipos: [],
};
const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const WEBHOOK_EXAMPLE = {
  ...IDENTITY_EXAMPLE,
  Pendientes: 3,
  UltimoExito: '2026-11-22T19:05:09.120Z',
  UltimoFallo: { Ocurrido: '2026-11-22T19:10:09.120Z', Motivo: 'Respondio 500' },
  ProximoIntento: '2026-11-22T19:10:14.300Z',
};
const ATTEMPT_EXAMPLE = {
  ...{ Ocurrido: '2026-11-22T19:10:09.120Z', Tomado: false, Ms: 212, Estatus: 500, Motivo: 'Respondio 500' },
};

/** Common options of the operations on one webhook. */
const ON_WEBHOOK = {
  tag,
  permission,
  request: { params },
  errors: ['webhook-not-found'] as ApiErrorCode[],
} as const;

const creation = operation({
  id: 'crearWebhook',
  tag,
  summary: 'Registrar un webhook',
  description: `Recibe los eventos que se registren desde ahora. Una cuenta tiene hasta ${MAX_WEBHOOKS}.`,
  permission,
  request: {
    body: NewWebhook,
  },
  // The words for each problem are those of creation; `parseWebhook` validates with the same schema.
  validatedBy: 'handler',
  errors: ['field-required', ...FIELD_ERRORS, 'too-many-webhooks'],
  data: {
    name: 'WebhookCreado',
    message: 'Webhook registrado',
    schema: Type.Object({ ...IDENTITY, Secreto: SECRET }, { title: 'WebhookCreado' }),
    example: { ...IDENTITY_EXAMPLE, Secreto: SECRET_EXAMPLE },
  },
});

function creationRoute(server: HttpServer, rule: UrlRule): void {
  server.post('/api/webhooks', creation, async (request) => {
    const wanted = parseWebhook(request.body, rule);
    const { webhook, secret } = await addWebhook(server, apiUser(request), wanted);
    recordWebhook(request, 'create', webhook.id, { host: new URL(webhook.url).host });
    const { id: Id, url: Url, description: Descripcion, active: Activo, types: Tipos = [] } = webhook;
    return creation.ok({ Id, Url, Descripcion, Activo, Tipos, Secreto: secret });
  });
}

const listing = operation({
  id: 'listarWebhooks',
  tag,
  summary: 'Listar los webhooks de la cuenta, y cómo va cada uno',
  permission,
  data: {
    name: 'Webhooks',
    message: (webhooks) => `Webhooks: ${webhooks.length}`,
    schema: Type.Array(WebhookAnswer),
    example: [WEBHOOK_EXAMPLE],
  },
});

function listingRoute(server: HttpServer): void {
  server.get('/api/webhooks', listing, async (request) =>
    listing.ok(await listWebhooks(server, apiUser(request).account)),
  );
}

const reading = operation({
  ...ON_WEBHOOK,
  id: 'consultarWebhook',
  summary: 'Consultar un webhook, con sus últimos intentos',
  data: {
    name: 'WebhookConsultado',
    message: 'Webhook encontrado',
    schema: WebhookDetail,
    example: { ...WEBHOOK_EXAMPLE, Intentos: [ATTEMPT_EXAMPLE] },
  },
});

function readingRoute(server: HttpServer): void {
  server.get('/api/webhooks/:id', reading, async (request) =>
    reading.ok(await readWebhook(server, apiUser(request).account, request.params.id)),
  );
}

const changing = operation({
  id: 'cambiarWebhook',
  tag,
  summary: 'Cambiar la dirección, la descripción o los tipos, apagar o encender',
  description:
    'El secreto queda, y sigue donde está. Otros `Tipos` valen desde el primer evento que aún no tomó ni dejó fuera; el ' +
    'mensaje en curso se forma de nuevo. Otra `Url` vale desde el siguiente intento.',
  permission,
  request: { params, body: ChangedWebhook },
  validatedBy: 'handler',
  errors: [...FIELD_ERRORS, 'webhook-not-found'],
  data: {
    name: 'WebhookCambiado',
    message: 'Webhook cambiado',
    schema: WebhookAnswer,
    example: WEBHOOK_EXAMPLE,
  },
});

function changingRoute(server: HttpServer, rule: UrlRule): void {
  server.patch('/api/webhooks/:id', changing, async (request) => {
    const { id } = request.params;
    const wanted = parseChange(request.body, rule);
    const webhook = await changeWebhook(server, apiUser(request).account, id, wanted);
    const { url, types, active } = wanted;
    recordWebhook(request, 'change', id, {
      ...(url !== undefined && { host: new URL(url).host }),
      ...(types && { types }),
      ...(active !== undefined && { active }),
    });
    return changing.ok(webhook);
  });
}

const probe = operation({
  ...ON_WEBHOOK,
  id: 'probarWebhook',
  summary: 'Mandar un mensaje de prueba, y ver cómo fue',
  description:
    'De tipo `prueba` y sin eventos, firmado como todos, también a un webhook apagado. El cuerpo se ignora.',
  data: {
    name: 'PruebaDeWebhook',
    message: ({ Tomado }) => (Tomado ? 'El webhook tomo el mensaje' : 'El webhook no tomo el mensaje'),
    schema: Type.Object(OUTCOME, { title: 'PruebaDeWebhook' }),
    example: { Tomado: true, Ms: 84, Estatus: 204 },
  },
});

function probeRoute(server: HttpServer): void {
  server.post('/api/webhooks/:id/probar', probe, async (request) => {
    const { account } = apiUser(request);
    return probe.ok(await probeWebhook(server, account, request.params.id, request.id));
  });
}

const secret = operation({
  ...ON_WEBHOOK,
  id: 'cambiarSecretoDeWebhook',
  summary: 'Cambiar el secreto de un webhook',
  description: 'Los anteriores firman 24 horas más, hasta cuatro en total. El cuerpo se ignora.',
  data: {
    name: 'SecretoDeWebhook',
    message: 'Secreto cambiado',
    schema: Type.Object({ Id: Type.String(), Secreto: SECRET }, { title: 'SecretoDeWebhook' }),
    example: { Id: ID, Secreto: SECRET_EXAMPLE },
  },
});

function secretRoute(server: HttpServer): void {
  server.post('/api/webhooks/:id/secreto', secret, async (request) => {
    const { id } = request.params;
    const Secreto = await changeSecret(server, apiUser(request).account, id);
    recordWebhook(request, 'secret', id);
    return secret.ok({ Id: id, Secreto });
  });
}

const activation = operation({
  id: 'activarWebhook',
  tag,
  summary: 'Encender un webhook, o repetir eventos',
  description:
    'Sigue donde se quedó: no se pierde nada. Con `cursor`, un `siguiente` de `GET /api/eventos`, sigue desde ahí. Con ' +
    '`saltar`, sigue tras el mensaje que falló, y la respuesta trae los eventos de ese mensaje, que no llegarán.',
  permission,
  request: {
    params,
    body: Activation,
  },
  validatedBy: 'handler',
  errors: [...FIELD_ERRORS, 'webhook-not-found', 'nothing-to-skip'],
  data: {
    name: 'WebhookActivado',
    message: ({ Saltados }) =>
      Saltados ? `Webhook activado; eventos saltados: ${Saltados.length}` : 'Webhook activado',
    schema: ActivatedWebhook,
    example: { ...WEBHOOK_EXAMPLE, Saltados: [FEED_EXAMPLE] },
  },
});

function activationRoute(server: HttpServer): void {
  server.post('/api/webhooks/:id/activar', activation, async (request) => {
    const { id } = request.params;
    const { account } = apiUser(request);
    const { cursor, skips } = parseActivation(request.body);
    if (skips) {
      const { view, from, to } = await skipMessage(server, account, id);
      recordWebhook(request, 'skip', id, { events: view.Saltados.length, from, to });
      return activation.ok(view);
    }
    const webhook = await activateWebhook(server, account, id, cursor);
    recordWebhook(request, 'activate', id, cursor === undefined ? {} : { cursor });
    return activation.ok(webhook);
  });
}

const removal = operation({
  ...ON_WEBHOOK,
  id: 'eliminarWebhook',
  summary: 'Eliminar un webhook',
  data: { name: 'WebhookEliminado', message: 'Webhook eliminado', schema: Nothing, example: null },
});

function removalRoute(server: HttpServer): void {
  server.delete('/api/webhooks/:id', removal, async (request) => {
    const { id } = request.params;
    await removeWebhook(server, apiUser(request).account, id);
    recordWebhook(request, 'delete', id);
    return removal.ok(null);
  });
}

/** `/api/webhooks` (docs/contract.md "Webhooks"). */
export async function webhookRoutes(server: HttpServer, { config }: ApiOptions): Promise<void> {
  const isAllowed = publicOrIn(splitList(config.WEBHOOKS_ALLOW_NETWORKS));
  const rule = { allowPrivate: config.WEBHOOKS_ALLOW_PRIVATE, isAllowed };
  creationRoute(server, rule);
  listingRoute(server);
  readingRoute(server);
  changingRoute(server, rule);
  await server.register(async (mayBeEmpty) => {
    acceptOnlyJson(mayBeEmpty, { mayBeEmpty: true });
    activationRoute(mayBeEmpty);
  });
  // Some clients send a body with every request.
  await server.register(async (bodyless) => {
    ignoreBodies(bodyless);
    probeRoute(bodyless);
    secretRoute(bodyless);
    removalRoute(bodyless);
  });
}

function recordWebhook(
  request: FastifyRequest,
  what: 'create' | 'change' | 'activate' | 'skip' | 'secret' | 'delete',
  webhook: string,
  details: AuditEvent['details'] = {},
): void {
  const { account } = apiUser(request);
  audit(request, { action: `webhook.${what}`, subject: account, details: { webhook, ...details } });
}
