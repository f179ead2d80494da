import { Type } from 'typebox';
import type { ErrorCode } from '#shared/errors/domain-error.ts';
import { toDetails } from '#shared/http/http-errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { ADDED_SENTENCE, BODY_ERRORS, operation } from '../http/operation.ts';
import { listErrors } from '../http/responses.ts';
import { pageParameters } from '../http/schemas.ts';
import { verdictErrors } from './errors.ts';
import type { Verdict } from './event-register.ts';
import { eventsOf } from './event-request.ts';
import { FEED_EXAMPLE } from './examples.ts';
import type { TrackingContext } from './open.ts';
import { FEED_CURSOR, feedPage, MAX_FEED, USUAL_EVENTS } from './read-events.ts';
import { type Outcome, registerEvents } from './register-events.ts';
import { EventResult, EventsRequest, FeedEvent } from './schemas.ts';

const EVENT_ERRORS = [
  'guide-not-found',
  'guide-is-test',
  'guide-cancelled',
  'event-conflict',
  'event-different',
  'guide-events-full',
  'field-required',
  'field-type',
  'field-invalid',
  'field-too-long',
  'field-unknown',
] as const satisfies ErrorCode[];

const registering = operation({
  id: 'registrarEventos',
  tag: 'Eventos',
  summary: 'Registrar qué pasó con guías',
  description:
    'De guías de cualquier cuenta. Cada evento se registra o se rechaza por sí mismo. Repetir la solicitud no hace daño: ' +
    `el mismo \`Id\` con el mismo contenido es \`repetido\`. ${ADDED_SENTENCE}Un evento se rechaza con:\n\n${listErrors(verdictErrors, EVENT_ERRORS)}\n\n`,
  permission: 'eventos.create',
  action: 'event',
  request: { body: EventsRequest },
  // Each event has its own answer; `checkEvent` validates with the same schema.
  validatedBy: 'handler',
  errors: [
    'invalid-json',
    'events-missing',
    'events-empty',
    'too-many-events',
    'event-invalid',
    ...(['field-required', 'field-type', 'field-invalid', 'field-too-long', 'field-unknown'] as const),
    'too-many-guides',
    'guide-is-test',
    ...BODY_ERRORS,
    'overloaded',
    'events-unknown',
  ],
  data: {
    name: 'EventosRegistrados',
    message: (results) =>
      `Eventos registrados: ${results.filter(({ resultado }) => resultado === 'registrado').length}`,
    schema: Type.Array(EventResult),
    example: [{ indice: 0, Id: 'MTY01-000123', resultado: 'registrado' }],
  },
});

function registrationRoute(server: HttpServer, context: TrackingContext): void {
  server.post('/api/eventos', registering, async (request) => {
    const { username } = apiUser(request);
    const handover = context.handover.value;
    if (handover?.isScan(request.body)) {
      const scanned = await handover.scan(request.body, username);
      return registering.ok(
        scanned.map(({ guide, indice, ...outcome }) => ({ ...toResult(outcome, indice), SEND_GUIA: guide })),
      );
    }
    const outcomes = await registerEvents(context, eventsOf(request.body), username);
    return registering.ok(outcomes.map(toResult));
  });
}

const feed = operation({
  id: 'listarEventos',
  tag: 'Eventos',
  summary: 'Seguir los eventos de las guías de la cuenta',
  description:
    'En el orden en que se registraron, también las cancelaciones. `siguiente` es siempre un cursor: guárdelo y pregunte con ' +
    'él más tarde. Cada evento sale una vez y ninguno se salta; un evento sale a los cinco segundos de registrado.',
  permission: 'guias.read',
  action: 'read',
  readsMany: true,
  request: {
    querystring: Type.Object({
      ...pageParameters('Eventos', MAX_FEED, USUAL_EVENTS, FEED_CURSOR),
    }),
  },
  errors: ['cursor-beyond-end'],
  data: {
    name: 'Eventos',
    message: (events) => `Eventos: ${events.length}`,
    schema: Type.Array(FeedEvent),
    beside: {
      siguiente: Type.Optional(
        Type.String({ description: 'Cursor de lo que sigue; siempre viene, aunque aún no haya nada más' }),
      ),
    },
    example: [FEED_EXAMPLE],
  },
});

function feedRoute(server: HttpServer, { eventLog }: TrackingContext): void {
  server.get('/api/eventos', feed, async (request) => {
    const { cursor, limite = USUAL_EVENTS } = request.query;
    const page = await feedPage(eventLog, apiUser(request).account, cursor, limite);
    return { ...feed.ok(page.events), siguiente: page.cursor };
  });
}

const RESULTS = { registered: 'registrado', repeated: 'repetido' } as const;

/** `POST` and `GET /api/eventos` (docs/contract.md "Events"). */
export function eventRoutes(server: HttpServer, context: TrackingContext): void {
  registrationRoute(server, context);
  feedRoute(server, context);
}

function toResult({ id, verdict }: Outcome, indice: number) {
  return { indice, ...(id !== undefined && { Id: id }), ...resultOf(verdict) };
}

function resultOf(verdict: Verdict) {
  if (typeof verdict === 'string') return { resultado: RESULTS[verdict] };
  const { campo } = verdict;
  const [{ codigo = '', message = '' } = {}] = toDetails(verdictErrors, [verdict]);
  return { resultado: 'rechazado' as const, ...(campo !== undefined && { campo }), codigo, message };
}
