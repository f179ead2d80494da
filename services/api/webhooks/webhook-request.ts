import { Type } from 'typebox';
import { DomainError, type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { FEED_TYPE_NAMES, type FeedType } from '#shared/guides/event-types.ts';
import { isAddress } from '#shared/webhooks/public-address.ts';
import type { WebhookChange } from '#shared/webhooks/webhook-store.ts';
import { isObject, readerOf, tidy } from '../http/body.ts';
import { FEED_CURSOR } from '../tracking/read-events.ts';

const URL_RULE =
  'debe ser https://, sin usuario, contrasena ni #, con puerto 443 o mayor que 1023, y no llevar a una direccion privada';

const MAX_URL = 500;
const MAX_DESCRIPTION = 120;
const MAX_TYPES = FEED_TYPE_NAMES.length;
/** A URL parser would silently correct other texts: missing slashes, an empty user, an empty fragment. */
const URL_PATTERN = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\\\/?#@\\s]+(?:[\\\\/?][^#]*)?$';
const VALID_URL = new RegExp(URL_PATTERN);
/** They would reach terminals and logs. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

const Url = Type.String({
  maxLength: MAX_URL,
  description:
    'https, sin usuario, contraseña ni #, con puerto 443 o mayor que 1023, fuera de redes privadas',
  examples: ['https://tienda.example/guias'],
});
const cursor = Type.Optional(
  Type.String({ maxLength: 100, description: 'Un `siguiente` de `GET /api/eventos`', examples: ['ZTE'] }),
);
const Descripcion = Type.Optional(Type.String({ maxLength: MAX_DESCRIPTION, examples: ['Tienda'] }));
const Tipos = Type.Optional(
  Type.Array(
    Type.Enum([...FEED_TYPE_NAMES], {
      type: 'string',
      'x-regla': `debe ser uno de: ${FEED_TYPE_NAMES.join(', ')}`,
    }),
    {
      maxItems: MAX_TYPES,
      description: 'Los tipos de eventos que recibe; todos si falta o está vacío',
      examples: [['Entregado', 'Incidencia', 'Anulacion']],
      'x-regla': `admite hasta ${MAX_TYPES} tipos`,
    },
  ),
);

/** The one topic of the core: events of guides. */
const EVENTS = 'eventos';
const MAX_TOPICS = 10;
const Temas = Type.Optional(
  Type.Array(Type.String(), {
    maxItems: MAX_TOPICS,
    description: 'De qué recibe mensajes; `["eventos"]` si falta o está vacío',
    examples: [[EVENTS]],
    'x-regla': `admite hasta ${MAX_TOPICS} temas`,
  }),
);
/** Rooms above add their topics to it. */
const documentedTopics = Type.Optional({
  ...Temas,
  items: Type.Enum([EVENTS], { type: 'string', title: 'Tema', description: 'De qué trata un mensaje' }),
});

const newFields = { Url, Descripcion, Tipos, Temas };
const changedFields = {
  Url: Type.Optional(Url),
  Descripcion,
  Activo: Type.Optional(Type.Boolean({ description: 'Lo apaga, o lo enciende donde se quedó' })),
  Tipos,
  Temas,
};
const activationFields = {
  cursor,
  saltar: Type.Optional(
    Type.Boolean({ description: 'Salta el mensaje que falló, y sigue con el que viene; sin `cursor`' }),
  ),
};

// The forms of addresses and cursors are documented here alone: their checks follow those of all fields.
const documentedUrl = { ...Url, pattern: URL_PATTERN };

export const NewWebhook = Type.Object(
  { ...newFields, Url: documentedUrl, Temas: documentedTopics },
  {
    title: 'SolicitudDeWebhook',
    additionalProperties: false,
    'x-examples': {
      todos: { summary: 'Todos los eventos', value: { Url: 'https://tienda.example/guias' } },
      algunos: {
        summary: 'Los de algunos tipos',
        value: {
          Url: 'https://tienda.example/guias',
          Descripcion: 'Tienda',
          Tipos: ['Entregado', 'Incidencia', 'Anulacion'],
        },
      },
    },
  },
);

export const ChangedWebhook = Type.Object(
  { ...changedFields, Url: Type.Optional(documentedUrl), Temas: documentedTopics },
  {
    title: 'CambioDeWebhook',
    additionalProperties: false,
    description:
      'Lo que falta, o es null, no cambia. `Descripcion` "" la quita, `Tipos` [] son todos, `Temas` [] son los eventos',
    'x-examples': { apagado: { summary: 'Apagarlo', value: { Activo: false } } },
  },
);

export const Activation = Type.Object(
  { ...activationFields, cursor: Type.Optional({ ...cursor, pattern: FEED_CURSOR }) },
  {
    title: 'ActivacionDeWebhook',
    additionalProperties: false,
    description: 'Puede faltar',
    'x-examples': {
      encender: { summary: 'Donde se quedó', value: {} },
      repetir: { summary: 'Desde un cursor', value: { cursor: 'ZTE' } },
      saltar: { summary: 'Tras el mensaje que falló', value: { saltar: true } },
    },
  },
);

const readWebhook = readerOf(Type.Object(newFields));
const readChange = readerOf(Type.Object(changedFields));
const readActivation = readerOf(Type.Object(activationFields));

/**
 * Which addresses a user's webhooks may have. `allowPrivate` allows any, with any port, and http. `canary`: the address at which the
 * canary receives, and whether the user is the canary. Only the canary may have that one, and no other: who has stolen its key must
 * not make our senders call anybody.
 */
export type UrlRule = {
  allowPrivate: boolean;
  isAllowed(host: string): boolean;
  canary: { url: string | undefined; isUser: boolean };
};

/**
 * Checks the body that registers a webhook (docs/contract.md "Webhooks").
 * @throws DomainError `fields-invalid`, with all problems.
 */
export function parseWebhook(body: unknown, rule: UrlRule, known: readonly string[]) {
  const problems = new ProblemList();
  const { Url, Descripcion: description = '', Tipos = [], Temas } = readWebhook(body, problems);
  const url = checkUrl(Url, rule, problems);
  checkDescription(description, problems);
  const { hasEvents, topics } = topicsOf(Temas ?? [], Tipos, known, problems);
  problems.throwIfAny('fields-invalid');
  const types = hasEvents ? inOrder(Tipos) : undefined;
  return {
    ...{ url: url as string, description, topics },
    ...(types === undefined ? { types: [] } : types.length > 0 && { types }),
  };
}

/** Reads topics as they are stored: whether events are among them, and the others. An empty list means events. */
function topicsOf(
  sent: readonly unknown[],
  types: readonly unknown[],
  known: readonly string[],
  problems: ProblemList,
): { hasEvents: boolean; topics: string[] } {
  // Of another type, which is a problem already.
  const names = Array.isArray(sent) ? sent : [];
  const hasEvents = names.length === 0 || names.includes(EVENTS);
  const all = [EVENTS, ...known];
  if (names.some((name) => typeof name === 'string' && !all.includes(name))) {
    problems.add(() => invalid('Temas', `debe tener solo: ${all.join(', ')}`));
  }
  if (!hasEvents && Array.isArray(types) && types.length > 0) {
    problems.add(() => invalid('Tipos', 'va solo con eventos entre los Temas'));
  }
  return { hasEvents, topics: known.filter((name) => names.includes(name)) };
}

/** A change as it was sent. `asked`: whether events are among the topics, and the others; absent if they stay. */
export type WantedChange = Omit<WebhookChange, 'topics'> & {
  asked?: { hasEvents: boolean; topics: string[] };
};

/**
 * Checks the body that changes a webhook.
 * @throws DomainError `fields-invalid`, with all problems.
 */
export function parseChange(body: unknown, rule: UrlRule, known: readonly string[]): WantedChange {
  const problems = new ProblemList();
  const { Url, Descripcion, Activo: active, Tipos, Temas } = readChange(body, problems);
  const url = Url === undefined ? undefined : checkUrl(Url, rule, problems);
  // An empty text counts as absent elsewhere. Here it is the one way to remove a description.
  const isEmpty = isObject(body) && tidy(body.Descripcion) === '';
  const description = isEmpty ? '' : Descripcion;
  checkDescription(description, problems);
  const asked = Temas && topicsOf(Temas, Tipos ?? [], known, problems);
  problems.throwIfAny('fields-invalid');
  const types = Tipos && (Tipos.length > 0 ? inOrder(Tipos) : ('all' as const));
  return {
    ...(url !== undefined && { url }),
    ...(description !== undefined && { description }),
    ...(active !== undefined && { active }),
    ...(types && { types }),
    ...(asked && { asked }),
  };
}

/** Reads the optional body of an activation. */
export function parseActivation(body: unknown): { cursor?: string; skips: boolean } {
  const problems = new ProblemList();
  const { cursor, saltar: skips = false } = readActivation(body ?? {}, problems);
  if (skips && cursor !== undefined) problems.add(() => invalid('saltar', 'no va junto con cursor'));
  problems.throwIfAny('fields-invalid');
  return { skips, ...(cursor !== undefined && { cursor }) };
}

export function refuseTypes(): never {
  const problem = invalid('Tipos', 'va solo con eventos entre los Temas');
  throw new DomainError('fields-invalid', { problems: [problem] });
}

export function refuseCursor(): never {
  const problem = invalid('cursor', "debe ser un 'siguiente' de GET /api/eventos");
  throw new DomainError('fields-invalid', { problems: [problem] });
}

/** @returns the address as it is stored, or undefined after adding a problem. */
function checkUrl(text: unknown, rule: UrlRule, problems: ProblemList): string | undefined {
  const url = typeof text === 'string' ? parseUrl(text, rule) : undefined;
  if (!problems.first.some(({ campo }) => campo === 'Url')) {
    const tooLong: Problem = { campo: 'Url', code: 'field-too-long', params: { limit: MAX_URL } };
    if (!url) problems.add(() => invalid('Url', URL_RULE));
    else if (url.length > MAX_URL) problems.add(() => tooLong);
  }
  return url;
}

function checkDescription(text: unknown, problems: ProblemList): void {
  if (typeof text !== 'string' || !UNPRINTABLE.test(text)) return;
  const rule = `admite texto de 1 a ${MAX_DESCRIPTION} caracteres, sin caracteres de control`;
  problems.add(() => invalid('Descripcion', rule));
}

/** Returns each type once, as it is stored. */
function inOrder(types: readonly FeedType[]): FeedType[] {
  return FEED_TYPE_NAMES.filter((type) => types.includes(type));
}

/** Returns a URL as it is stored, or undefined if webhooks may not use it. Its name is resolved at each delivery. */
function parseUrl(text: string, { allowPrivate, isAllowed, canary }: UrlRule): string | undefined {
  const url =
    VALID_URL.test(text) && !UNPRINTABLE.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return undefined;
  const isCanarys = url.href === canary.url;
  if (isCanarys || canary.isUser) return isCanarys && canary.isUser ? url.href : undefined;
  if (allowPrivate) return /^https?:$/.test(url.protocol) ? url.href : undefined;
  const port = Number(url.port || 443);
  if (url.protocol !== 'https:' || (port !== 443 && port < 1_024)) return undefined;
  return isAddress(url.hostname) && !isAllowed(url.hostname) ? undefined : url.href;
}

function invalid(campo: string, rule: string): Problem {
  return { campo, code: 'field-invalid', params: { rule } };
}
