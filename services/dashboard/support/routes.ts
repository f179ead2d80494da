import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import type { AuditLog } from '#shared/audit/audit-log.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { hasGuideNumberForm } from '#shared/guides/guide.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { AuditAction, Permission } from '#shared/rooms.ts';
import { compilePage, sendPage } from '../pages.ts';
import { requirePermission } from '../session.ts';
import { type Header, headerOf } from '../tabs.ts';
import type { GuideReader, VisibleGuide } from './guide-reader.ts';
import { pickupView } from './pickup-reader.ts';
import { maskedText, search, searchView } from './search.ts';
import { type GuideView, type SupportSources, supportViews, type WebhooksView } from './views.ts';

type Options = SupportSources & { auditLog: AuditLog<AuditAction> };
type Details = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const PERSONS = 'soporte.personas';
/** With which the api prints the label of any account's guide. */
const LABELS = ['guias.read', 'guias.read.all'] as const;
const BODY_LIMIT = 16 * 1024;
const Search = Type.Object({
  buscar: Type.String({ maxLength: 200 }),
  cuenta: Type.Optional(Type.String({ maxLength: 200 })),
});

const searchPage = compilePage<Header & ReturnType<typeof searchView>>('soporte');
const guidePage = compilePage<Header & GuideView>('guia');
const pickupPage = compilePage<Header & ReturnType<typeof pickupView> & { zone: string }>('recoleccion');
const webhooksPage = compilePage<Header & WebhooksView>('webhooks');

/**
 * The pages for those who support customers. Each look at a guide is in the audit log. A search comes by POST, because its
 * text may name a person, and addresses stand in histories and in logs of proxies. Register it behind a session.
 */
export function supportRoutes(options: Options) {
  const { guides, auditLog } = options;
  const views = supportViews(options);
  const headerFor = ({ apiUser }: FastifyRequest) => headerOf(apiUser as ApiUser, 'Soporte');
  const record = (request: FastifyRequest, what: string, subject: string | undefined, details: Details) => {
    const { username: actor, account } = request.apiUser as ApiUser;
    const { ip: address, id: requestId } = request;
    const by = { actor, account, address, requestId };
    return auditLog.record({ action: `support.${what}`, ...by, subject, outcome: 'ok', details });
  };
  /** Into the field of the account somebody may type a person's name. */
  const typedAccount = async (text: string | undefined) =>
    text === undefined || (await guides.hasAccount(text)) ? text : maskedText(text);
  const look = async (request: FastifyRequest, personal: boolean) => {
    const { numero } = request.params as { numero: string };
    const guide = await findGuide(guides, numero);
    await record(request, 'guide', guide.account, { guide: numero, personal });
    const rights = { canSeePersons: maySeePersons(request), canPrint: may(request, ...LABELS) };
    return guidePage({ ...headerFor(request), ...(await views.guide(guide, { ...rights, personal })) });
  };

  return async (server: HttpServer) => {
    server.addHook('onRequest', requirePermission('soporte.read'));

    server.get('/soporte', async (request, reply) =>
      sendPage(
        reply,
        searchPage({ ...headerFor(request), ...searchView(views.write, maySeePersons(request)) }),
      ),
    );

    const form = { schema: { body: Search }, bodyLimit: BODY_LIMIT };
    server.post('/soporte', form, async (request, reply) => {
      const text = request.body.buscar.trim();
      const account = request.body.cuenta?.trim() || undefined;
      const forPersons = maySeePersons(request);
      const found = await search(options, text, account, forPersons);
      // The text may name a person, so the trail has it masked, and the guides that it led to.
      const subject = await typedAccount(account);
      const trail = (guides: readonly string[], answers = 0) =>
        record(request, 'search', subject, { text: maskedText(text), persons: forPersons, guides, answers });
      if ('pickup' in found) {
        await trail([]);
        return reply.redirect(`/soporte/recoleccion/${found.pickup}`, 303);
      }
      if ('number' in found) {
        await trail([found.number]);
        return reply.redirect(`/soporte/guia/${found.number}`, 303);
      }
      const listed = [...found.guides, ...(found.persons?.guides ?? [])].map(({ _id }) => _id);
      await trail([...new Set(listed)], found.answers?.length);
      const view = searchView(views.write, forPersons, { text, account, found });
      return sendPage(reply, searchPage({ ...headerFor(request), ...view }));
    });

    server.get('/soporte/guia/:numero', async (request, reply) =>
      sendPage(reply, await look(request, false)),
    );

    server.get('/soporte/recoleccion/:numero', async (request, reply) => {
      const { numero } = request.params as { numero: string };
      const pickup = await options.pickups.find(numero);
      if (!pickup) throw new DomainError('pickup-unknown');
      await record(request, 'pickup', pickup.account, { pickup: numero });
      const view = { ...pickupView(pickup, views.write), zone: views.zone };
      return sendPage(reply, pickupPage({ ...headerFor(request), ...view }));
    });

    // By POST, so that no link and no browser that reads ahead looks at persons.
    server.post('/soporte/guia/:numero', { onRequest: requirePermission(PERSONS) }, async (request, reply) =>
      sendPage(reply, await look(request, true)),
    );

    server.get<{ Querystring: { cuenta?: string | string[] } }>(
      '/soporte/webhooks',
      async (request, reply) => {
        const account = [request.query.cuenta].flat()[0]?.trim() || undefined;
        await record(request, 'webhooks', await typedAccount(account), {});
        return sendPage(reply, webhooksPage({ ...headerFor(request), ...(await views.webhooks(account)) }));
      },
    );
  };
}

function maySeePersons(request: FastifyRequest): boolean {
  return may(request, PERSONS);
}

function may({ apiUser }: FastifyRequest, ...wanted: Permission[]): boolean {
  return wanted.every((each) => (apiUser as ApiUser).permissions.includes(each));
}

/** @throws DomainError `guide-unknown`. */
async function findGuide(guides: GuideReader, number: string): Promise<VisibleGuide> {
  const guide = hasGuideNumberForm(number) ? await guides.find(number) : undefined;
  if (!guide) throw new DomainError('guide-unknown');
  return guide;
}
