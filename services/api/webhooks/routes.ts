import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AuditEvent } from '#shared/audit/audit-store.ts';
import { splitList } from '#shared/config/networks.ts';
import type { ErrorCode } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { acceptOnlyJson } from '#shared/http/request-bodies.ts';
import { canaryWebhook } from '#shared/webhooks/canary-address.ts';
import { publicOrIn } from '#shared/webhooks/public-address.ts';
import type { SetBy } from '#shared/webhooks/webhook-model.ts';
import { MAX_WEBHOOKS } from '#shared/webhooks/webhook-store.ts';
import type { Caller } from '../accounts/account-limits.ts';
import { audit } from '../accounts/hooks/audit.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { keepIfStillValid, requireStillValid } from '../accounts/hooks/authorize.ts';
import type { ApiConfig } from '../config.ts';
import { ignoreBodies } from '../http/ignored-body.ts';
import { BODY_ERRORS, operation } from '../http/operation.ts';
import { Nothing } from '../http/schemas.ts';
import { FEED_EXAMPLE } from '../tracking/examples.ts';
import type { Topic } from './news.ts';
import type { WebhooksContext } from './open.ts';
import {
  ActivatedWebhook,
  ATTEMPT_EXAMPLE,
  IDENTITY,
  IDENTITY_EXAMPLE,
  OUTCOME,
  SECRET,
  SECRET_EXAMPLE,
  WEBHOOK_EXAMPLE,
  WebhookAnswer,
  WebhookDetail,
} from './schemas.ts';
import {
  Activation,
  ChangedWebhook,
  NewWebhook,
  parseActivation,
  parseChange,
  parseWebhook,
  type UrlRule,
} from './webhook-request.ts';
import {
  activateWebhook,
  addWebhook,
  changeSecret,
  changeWebhook,
  listWebhooks,
  probeWebhook,
  readWebhook,
  removeWebhook,
  skipMessage,
  topicsOf,
} from './webhooks.ts';

type RuleOf = (user: Caller) => UrlRule;
const namesOf = (topics: readonly Topic[]) => topics.map(({ name }) => name);

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

/** Common options of the operations on one webhook. */
const ON_WEBHOOK = {
  tag,
  permission,
  action: 'subscribe',
  request: { params },
  errors: ['webhook-not-found'] as ErrorCode[],
} as const;

const creation = operation({
  id: 'crearWebhook',
  tag,
  summary: 'Registrar un webhook',
  description: `Recibe los eventos que se registren desde ahora. Una cuenta tiene hasta ${MAX_WEBHOOKS}.`,
  permission,
  action: 'subscribe',
  actsAgain: true,
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

function creationRoute(server: HttpServer, context: WebhooksContext, ruleOf: RuleOf): void {
  server.post('/api/webhooks', creation, async (request) => {
    const wanted = parseWebhook(request.body, ruleOf(apiUser(request)), namesOf(context.topics));
    const { webhook, secret } = await addWebhook(context, apiUser(request), wanted, whoSets(request));
    await keepIfStillValid(request, () => context.webhooks.remove(webhook.account, webhook.id));
    recordWebhook(context, request, 'create', webhook.id, { host: new URL(webhook.url).host });
    const { id: Id, url: Url, description: Descripcion, active: Activo, types: Tipos = [] } = webhook;
    return creation.ok({ Id, Url, Descripcion, Activo, Tipos, Temas: topicsOf(webhook), Secreto: secret });
  });
}

const listing = operation({
  id: 'listarWebhooks',
  tag,
  summary: 'Listar los webhooks de la cuenta, y cómo va cada uno',
  permission,
  action: 'subscribe',
  data: {
    name: 'Webhooks',
    message: (webhooks) => `Webhooks: ${webhooks.length}`,
    schema: Type.Array(WebhookAnswer),
    example: [WEBHOOK_EXAMPLE],
  },
});

function listingRoute(server: HttpServer, context: WebhooksContext): void {
  server.get('/api/webhooks', listing, async (request) =>
    listing.ok(await listWebhooks(context, apiUser(request).account)),
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

function readingRoute(server: HttpServer, context: WebhooksContext): void {
  server.get('/api/webhooks/:id', reading, async (request) =>
    reading.ok(await readWebhook(context, apiUser(request).account, request.params.id)),
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
  action: 'subscribe',
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

function changingRoute(server: HttpServer, context: WebhooksContext, ruleOf: RuleOf): void {
  server.patch('/api/webhooks/:id', changing, async (request) => {
    const { id } = request.params;
    const wanted = parseChange(request.body, ruleOf(apiUser(request)), namesOf(context.topics));
    const { view, change } = await changeWebhook(
      context,
      apiUser(request).account,
      id,
      wanted,
      whoSets(request),
    );
    if (change.after.url !== change.before.url)
      await keepIfStillValid(request, () => context.webhooks.takeBack(change));
    const { url, types, asked, active } = wanted;
    recordWebhook(context, request, 'change', id, {
      ...(url !== undefined && { host: new URL(url).host }),
      ...(types && { types: types === 'all' ? [] : types }),
      ...(asked && { topics: topicsOf(change.after) }),
      ...(active !== undefined && { active }),
    });
    return changing.ok(view);
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

function probeRoute(server: HttpServer, context: WebhooksContext): void {
  server.post('/api/webhooks/:id/probar', probe, async (request) => {
    const { account } = apiUser(request);
    return probe.ok(await probeWebhook(context, account, request.params.id, request.id));
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
    example: { Id: IDENTITY_EXAMPLE.Id, Secreto: SECRET_EXAMPLE },
  },
});

function secretRoute(server: HttpServer, context: WebhooksContext): void {
  server.post('/api/webhooks/:id/secreto', secret, async (request) => {
    const { id } = request.params;
    const Secreto = await changeSecret(context, apiUser(request).account, id);
    recordWebhook(context, request, 'secret', id);
    return secret.ok({ Id: id, Secreto });
  });
}

const activation = operation({
  id: 'activarWebhook',
  tag,
  summary: 'Encender un webhook, o repetir eventos',
  description:
    'Sigue donde se quedó: no se pierde nada. Con `cursor`, un `siguiente` de `GET /api/eventos`, sigue desde ahí. Con ' +
    '`saltar`, sigue tras el mensaje que falló, y la respuesta trae los eventos de ese mensaje, que no llegarán, o el ' +
    'mensaje, si es de otro tema.',
  permission,
  action: 'subscribe',
  actsAgain: true,
  request: {
    params,
    body: Type.Optional(Activation),
  },
  validatedBy: 'handler',
  errors: [...FIELD_ERRORS, 'webhook-not-found', 'nothing-to-skip'],
  data: {
    name: 'WebhookActivado',
    message: ({ Saltados, MensajeSaltado }) => {
      if (MensajeSaltado) return `Webhook activado; mensaje saltado: ${MensajeSaltado.type}`;
      return Saltados ? `Webhook activado; eventos saltados: ${Saltados.length}` : 'Webhook activado';
    },
    schema: ActivatedWebhook,
    example: { ...WEBHOOK_EXAMPLE, Saltados: [FEED_EXAMPLE] },
  },
});

function activationRoute(server: HttpServer, context: WebhooksContext): void {
  server.post('/api/webhooks/:id/activar', activation, async (request) => {
    const { id } = request.params;
    const { account } = apiUser(request);
    const { cursor, skips } = parseActivation(request.body);
    if (skips) {
      const { view, ...skipped } = await skipMessage(context, account, id);
      recordWebhook(context, request, 'skip', id, { events: view.Saltados.length, ...skipped });
      return activation.ok(view);
    }
    const webhook = await activateWebhook(context, account, id, cursor);
    recordWebhook(context, request, 'activate', id, cursor === undefined ? {} : { cursor });
    return activation.ok(webhook);
  });
}

const removal = operation({
  ...ON_WEBHOOK,
  id: 'eliminarWebhook',
  summary: 'Eliminar un webhook',
  data: { name: 'WebhookEliminado', message: 'Webhook eliminado', schema: Nothing, example: null },
});

function removalRoute(server: HttpServer, context: WebhooksContext): void {
  server.delete('/api/webhooks/:id', removal, async (request) => {
    const { id } = request.params;
    await removeWebhook(context, apiUser(request).account, id);
    recordWebhook(context, request, 'delete', id);
    return removal.ok(null);
  });
}

/** `/api/webhooks` (docs/contract.md "Webhooks"). */
export async function webhookRoutes(server: HttpServer, context: WebhooksContext): Promise<void> {
  const ruleOf = addressRules(context.config);
  // Commands that end a credential list the addresses that outlive it, so none may come after the end. Checked again once one
  // is stored: the end may have come meanwhile. Not only then: an address would get events until it is taken back, and what
  // is removed, signed anew or repeated cannot be taken back.
  server.addHook('preHandler', async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') await requireStillValid(request);
  });
  creationRoute(server, context, ruleOf);
  listingRoute(server, context);
  readingRoute(server, context);
  changingRoute(server, context, ruleOf);
  await server.register(async (mayBeEmpty) => {
    acceptOnlyJson(mayBeEmpty, { mayBeEmpty: true });
    activationRoute(mayBeEmpty, context);
  });
  // Some clients send a body with every request.
  await server.register(async (bodyless) => {
    ignoreBodies(bodyless);
    probeRoute(bodyless, context);
    secretRoute(bodyless, context);
    removalRoute(bodyless, context);
  });
}

/** Returns which addresses a user's webhooks may have. */
function addressRules({
  CANARY_URL,
  WEBHOOKS_ALLOW_NETWORKS,
  WEBHOOKS_ALLOW_PRIVATE: allowPrivate,
}: ApiConfig): RuleOf {
  const isAllowed = publicOrIn(splitList(WEBHOOKS_ALLOW_NETWORKS));
  const url = CANARY_URL === undefined ? undefined : canaryWebhook(CANARY_URL);
  return ({ canaryOf }) => ({ allowPrivate, isAllowed, canary: { url, isUser: canaryOf !== undefined } });
}

function whoSets(request: FastifyRequest): SetBy {
  const { username, keyStart } = apiUser(request);
  return { username, ...(keyStart !== undefined && { key: keyStart }) };
}

function recordWebhook(
  context: WebhooksContext,
  request: FastifyRequest,
  what: 'create' | 'change' | 'activate' | 'skip' | 'secret' | 'delete',
  webhook: string,
  details: AuditEvent['details'] = {},
): void {
  const { account } = apiUser(request);
  audit(context, request, { action: `webhook.${what}`, subject: account, details: { webhook, ...details } });
}
