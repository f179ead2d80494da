import type { FastifyReply, FastifyRequest } from 'fastify';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiConfig } from '../../config.ts';
import { ignoreBodies } from '../../http/ignored-body.ts';
import { pageErrorHandler, sendPage, sendStyle, visitLimit } from '../../http/public-pages/answers.ts';
import { abortSignalOf } from '../../http/response-end.ts';
import { labelPayload } from '../../labels/label-payload.ts';
import { packagesOf } from '../../labels/label-request.ts';
import { placeOf } from '../../tracking/page/pages.ts';
import { returnErrors } from '../errors.ts';
import { LINK_PATH, openLink } from '../link.ts';
import type { ReturnsContext } from '../open.ts';
import { originalOf } from '../return-facts.ts';
import { dayWriter, frameOf, linkPage, problemPage, STYLE, STYLE_PATH } from './pages.ts';

/** Most pages that all links together may have in flight. */
const MAX_PAGES = 300;
/** Longest wait for the address of the branch, in ms: the page goes without. */
const BRANCH_WAIT_MS = 1_000;
/** The secret is in the address: no other site, search engine or cache may learn it. */
const PRIVATE = { 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex', 'cache-control': 'no-store' };

/**
 * `GET` and `POST /devolver/{secreto}`: a person without a token prints the label of a return (docs/contract.md "Returns"). `GET`
 * changes nothing, because programs that show previews of messages open links.
 */
export async function linkPageRoutes(server: HttpServer, context: ReturnsContext): Promise<void> {
  const { config, returns, labels, redis, errorTable } = context;
  const frame = frameOf(config);
  const writeDay = dayWriter(config.TIME_ZONE);
  const countVisit = visitLimit(redis, `${config.REDIS_PREFIX}:devolver`);
  const open = async (secret: string) => {
    const found = await openLink(context, secret);
    if (!found) throw new DomainError('return-not-found');
    return found;
  };

  server.get(STYLE_PATH, async (_request, reply) => sendStyle(reply, STYLE));
  await server.register(async (scope) => {
    const pages = scope as HttpServer;
    ignoreBodies(pages);
    pages.addHook('onRequest', async (_request, reply) => void reply.headers(PRIVATE));
    pages.setErrorHandler(pageErrorHandler(errorTable, (problem) => problemPage({ ...frame, ...problem })));
    pages.get<{ Params: { secreto: string } }>(`${LINK_PATH}/:secreto`, async ({ id, ip, params }, reply) => {
      await countVisit(ip);
      const { link, guide } = await open(params.secreto);
      const packages = guide.guide.Producto.Paquetes ?? 1;
      return sendPage(
        reply,
        linkPage({
          ...frame,
          title: packages === 1 ? 'Devuelva su paquete' : 'Devuelva sus paquetes',
          number: guide._id,
          original: originalOf(guide) ?? '',
          isTest: isTestNumber(guide._id),
          branch: (await findPlace(context, guide.origin.code, id)) ?? guide.origin,
          until: writeDay(link.link?.endsAt ?? new Date(0)),
          packages,
          isOne: packages === 1,
        }),
      );
    });
    pages.post<{ Params: { secreto: string } }>(
      `${LINK_PATH}/:secreto`,
      async ({ ip, id: requestId, params }, reply) => {
        await countVisit(ip);
        const { link, guide } = await open(params.secreto);
        if (!(await returns.countPrint(link))) throw new DomainError('too-many-prints');
        const several = (guide.guide.Producto.Paquetes ?? 1) > 1;
        const kind = several ? 'medium' : 'letter';
        const label = labelPayload(guide, { kind, ...packagesOf(kind, guide) }, context);
        // No account has an empty name: what people print takes nobody's pages.
        const caller = { account: '', maxPages: MAX_PAGES, requestId, signal: abortSignalOf(reply) };
        const { bytes } = await labels.get(label, caller);
        return reply
          .type('application/pdf')
          .header('content-disposition', `attachment; filename="devolucion-${guide._id}.pdf"`)
          .send(bytes);
      },
    );
  });
}

/** Returns where a branch is; undefined if nobody knows it in time. */
async function findPlace({ branches }: ReturnsContext, code: string, requestId: string) {
  const listing = branches.active(requestId);
  const active = await withTimeout(BRANCH_WAIT_MS, 'The list of branches', listing).catch(() => []);
  const branch = active.find(({ Codigo }) => Codigo === code);
  return branch && placeOf(branch);
}

/** Answers the address of a page that cannot be decoded as an unknown link. */
export function linkProblems(config: ApiConfig) {
  const frame = frameOf(config);
  return ({ url }: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    if (!/^\/+devolver\//.test(url)) return undefined;
    const { status, page } = returnErrors['return-not-found'];
    return sendPage(reply.code(status).headers(PRIVATE), problemPage({ ...frame, ...page }));
  };
}
