import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiConfig } from '../../config.ts';
import { ignoreBodies } from '../../http/ignored-body.ts';
import { pageErrorHandler, sendPage, sendStyle } from '../../http/public-pages/answers.ts';
import { noticeErrors } from '../errors.ts';
import type { NoticesContext } from '../open.ts';
import { frameOf, problemPage, REFUSAL_PATH, refusalPage, STYLE, STYLE_PATH } from './pages.ts';

type Link = { Params: { token: string } };

/**
 * `/avisos/{token}`: a person without a token of ours refuses notices (docs/contract.md "Notices"). `GET` changes nothing, because
 * programs that check mails open links. `POST` refuses, also as a mail program sends it (RFC 8058). Nobody can guess a link, and
 * mail programs of many people share an address, so that visits are not counted.
 */
export async function refusalPageRoutes(server: HttpServer, context: NoticesContext): Promise<void> {
  const { config, refusals, errorTable } = context;
  const frame = frameOf(config);

  server.get(STYLE_PATH, async (_request, reply) => sendStyle(reply, STYLE));
  await server.register(async (scope) => {
    const pages = scope as HttpServer;
    ignoreBodies(pages);
    pages.addHook(
      'onRequest',
      async (_request, reply) => void reply.header('referrer-policy', 'no-referrer'),
    );
    pages.setErrorHandler(pageErrorHandler(errorTable, (problem) => problemPage({ ...frame, ...problem })));
    const open = (token: string) => {
      const id = refusals?.read(token);
      if (!refusals || id === undefined) throw new DomainError('refusal-not-found');
      return { refusals, id };
    };
    const show = (reply: FastifyReply, token: string, isRefused: boolean) => {
      const title = isRefused ? 'Ya no le mandaremos avisos' : '¿No quiere más avisos?';
      const action = `${REFUSAL_PATH}/${token}${isRefused ? '/recibir' : ''}`;
      return sendPage(reply, refusalPage({ ...frame, title, isRefused, action }));
    };
    pages.get<Link>(`${REFUSAL_PATH}/:token`, async ({ params: { token } }, reply) => {
      const { refusals, id } = open(token);
      return show(reply, token, await refusals.isRefused(id));
    });
    pages.post<Link>(`${REFUSAL_PATH}/:token`, async ({ params: { token } }, reply) => {
      const { refusals, id } = open(token);
      await refusals.refuse(id);
      return show(reply, token, true);
    });
    pages.post<Link>(`${REFUSAL_PATH}/:token/recibir`, async ({ params: { token } }, reply) => {
      const { refusals, id } = open(token);
      await refusals.takeBack(id);
      return show(reply, token, false);
    });
  });
}

/** Answers the address of a page that cannot be decoded as a link that is not ours. */
export function refusalProblems(config: ApiConfig) {
  const frame = frameOf(config);
  return ({ url }: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    if (!/^\/+avisos\//.test(url)) return undefined;
    const { status, page } = noticeErrors['refusal-not-found'];
    return sendPage(reply.code(status), problemPage({ ...frame, ...page }));
  };
}
