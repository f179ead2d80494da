import { Type } from 'typebox';
import { DomainError, ProblemList } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { acceptOnlyJson } from '#shared/http/request-bodies.ts';
import { NOTICE_STATES, type Notice, type NoticeAccount, OUTCOMES } from '#shared/notices/notice-model.ts';
import { audit, auditForeignReads } from '../accounts/hooks/audit.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { requireStillValid } from '../accounts/hooks/authorize.ts';
import { findGuide } from '../guides/guide-access.ts';
import { GuideParams } from '../guides/schemas.ts';
import { readerOf } from '../http/body.ts';
import { BODY_ERRORS, operation } from '../http/operation.ts';
import type { NoticesContext } from './open.ts';
import {
  GUIDE_NOTICE_EXAMPLE,
  GuideNotice,
  NoticeChoice,
  NoticeSettings,
  PENDING,
  SETTINGS_EXAMPLE,
  UNKNOWN,
} from './schemas.ts';

const OF_ACCOUNT = { tag: 'Avisos', permission: 'avisos.admin', action: 'account' } as const;
const readChoice = readerOf(NoticeChoice);

const reading = operation({
  ...OF_ACCOUNT,
  id: 'consultarAvisos',
  summary: 'Consultar si se avisa a los destinatarios, y de qué',
  data: {
    name: 'AvisosConsultados',
    message: ({ Activo }) => (Activo ? 'Avisos encendidos' : 'Avisos apagados'),
    schema: NoticeSettings,
    example: SETTINGS_EXAMPLE,
  },
});

const choosing = operation({
  ...OF_ACCOUNT,
  id: 'cambiarAvisos',
  summary: 'Encender o apagar los avisos a los destinatarios',
  description:
    'Vale para los eventos que se registren desde ahora. Quien los enciende dice que su cuenta puede escribir a sus destinatarios.',
  request: { body: NoticeChoice },
  validatedBy: 'handler',
  errors: [
    ...(['invalid-json', ...BODY_ERRORS] as const),
    ...(['field-required', 'field-type', 'field-invalid', 'field-too-long', 'field-unknown'] as const),
    'notices-unavailable',
  ],
  data: {
    name: 'AvisosCambiados',
    message: ({ Activo }) => (Activo ? 'Avisos encendidos' : 'Avisos apagados'),
    schema: NoticeSettings,
    example: SETTINGS_EXAMPLE,
  },
});

const listing = operation({
  id: 'listarAvisosDeGuia',
  tag: 'Avisos',
  summary: 'Qué se avisó de una guía',
  description: 'De los últimos 30 días. Los de una cuenta de prueba no se mandan.',
  permission: 'guias.read',
  action: 'read',
  request: { params: GuideParams },
  errors: ['guide-not-found'],
  data: {
    name: 'AvisosDeGuia',
    message: (notices) => `Avisos: ${notices.length}`,
    schema: Type.Array(GuideNotice),
    example: [GUIDE_NOTICE_EXAMPLE],
  },
});

/** `/api/avisos`, and the notices of a guide (docs/contract.md "Notices"). */
export function noticeRoutes(server: HttpServer, context: NoticesContext): void {
  acceptOnlyJson(server);
  const { noticeAccounts, notices, eventLog, guides, refusals } = context;
  const isAvailable = refusals !== undefined;
  server.get('/api/avisos', reading, async (request) => {
    return reading.ok(settingsView(await noticeAccounts.find(apiUser(request).account), isAvailable));
  });
  server.put('/api/avisos', choosing, async (request) => {
    const { active, states } = parseChoice(request.body);
    if (active && !isAvailable) throw new DomainError('notices-unavailable');
    await requireStillValid(request);
    const { account, username } = apiUser(request);
    const last = await eventLog.last(account);
    const chosen = await noticeAccounts.choose(account, { active, states }, username, last);
    audit(context, request, { action: 'notice.change', subject: account, details: { active, states } });
    return choosing.ok(settingsView(chosen, isAvailable));
  });
  server.get('/api/guias/:guia/avisos', listing, async (request) => {
    const guide = await findGuide(guides, request.params.guia, apiUser(request));
    auditForeignReads(context, request, 'guide.read-other', [guide]);
    return listing.ok((await notices.ofGuide(guide._id)).map(noticeView));
  });
}

/** @throws DomainError `fields-invalid`, with all problems. */
function parseChoice(body: unknown) {
  const problems = new ProblemList();
  const { Activo: active, Estatus } = readChoice(body, problems);
  problems.throwIfAny('fields-invalid');
  const states = NOTICE_STATES.filter((state) => Estatus?.includes(state) ?? true);
  return { active, states };
}

function settingsView(account: NoticeAccount | undefined, Disponible: boolean) {
  return {
    Disponible,
    Activo: account?.active ?? false,
    Estatus: account?.states ?? [],
    PuestoPor: account?.setBy ?? null,
    Puesto: account?.setAt.toISOString() ?? null,
  };
}

function noticeView({ state, occurred, dueAt, triedAt, outcome, reply }: Notice) {
  return {
    Estatus: state,
    Ocurrido: occurred.toISOString(),
    Resultado: outcome ? OUTCOMES[outcome] : dueAt ? PENDING : UNKNOWN,
    Intentado: triedAt?.toISOString() ?? null,
    ...(reply !== undefined && { Respuesta: reply }),
  };
}
