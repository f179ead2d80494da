import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Branch } from '#shared/branches/branch.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import type { BranchesClient } from '../../branches/branches-client.ts';
import type { ApiConfig } from '../../config.ts';
import { guideErrors } from '../../guides/errors.ts';
import { isGuideNumber } from '../../guides/guide-number.ts';
import { pageErrorHandler, sendPage, sendStyle, visitLimit } from '../../http/public-pages/answers.ts';
import type { TrackingContext } from '../open.ts';
import { carrierOf, formPage, guidePage, problemPage, STYLE, STYLE_PATH, trackingView } from './pages.ts';

/** Looked up for an invalid number, so that the time is the same; no guide has it. */
const NO_GUIDE = '000000000000';
/** Longest wait for the branch where a parcel is picked up, in ms: the page goes without its address. */
const BRANCH_WAIT_MS = 1_000;

/**
 * `GET /rastreo` and `/rastreo/{guia}`: a parcel's way, for people without a token (docs/contract.md "Tracking
 * page"). Numbers are not secret, so the page names no person, and an address may look up only so many.
 */
export async function trackingPageRoutes(server: HttpServer, context: TrackingContext): Promise<void> {
  const { config, guides, eventLog, branches, databaseClock, redis, errorTable, trackingTitle } = context;
  const carrier = carrierOf(config);
  const countVisit = visitLimit(redis, `${config.REDIS_PREFIX}:tracking`);
  const viewOf = trackingView(
    config.TIME_ZONE,
    () => databaseClock.estimate(),
    (told) => trackingTitle.value(told),
  );

  server.get(STYLE_PATH, async (_request, reply) => sendStyle(reply, STYLE));
  await server.register(async (pages) => {
    pages.setErrorHandler(pageErrorHandler(errorTable, (problem) => problemPage({ ...carrier, ...problem })));
    pages.get<{ Querystring: { guia?: string | string[] } }>('/rastreo', async ({ query }, reply) => {
      // People copy a number with blanks and dashes.
      const number = [query.guia].flat()[0]?.replaceAll(/[\s-]/g, '').slice(0, 40);
      if (number) return reply.redirect(`/rastreo/${encodeURIComponent(number)}`, 303);
      return sendPage(reply, formPage(carrier));
    });
    pages.get<{ Params: { guia: string } }>('/rastreo/:guia', async ({ id, ip, params }, reply) => {
      await countVisit(ip);
      const number = isGuideNumber(params.guia) ? params.guia : NO_GUIDE;
      // Always both, so that the time reveals nothing.
      const [guide, entries] = await Promise.all([guides.find(number), eventLog.ofGuides([number])]);
      if (!guide || guide.anonymised) throw new DomainError('guide-not-found');
      const codes = entries.flatMap(({ told }) => told.Sucursal ?? []);
      const [cities, pickUp] = await Promise.all([
        branches.cities(codes).catch(() => new Map<string, string>()),
        pickUpBranch(branches, guide, entries, id).catch(() => undefined),
      ]);
      const links = context.pageLinks.flatMap((linksOf) => linksOf(guide));
      return sendPage(reply, guidePage({ ...carrier, ...viewOf({ guide, entries, cities, pickUp, links }) }));
    });
  });
}

/** Returns the branch where a parcel is to be picked up, once one that is picked up has come to a branch. */
async function pickUpBranch(
  branches: BranchesClient,
  { service, destination: { code } }: GuideDocument,
  entries: readonly LogEntry[],
  requestId: string,
): Promise<Branch | undefined> {
  if (service === 'Domicilio' || !entries.some(({ told }) => told.Tipo === 'EnSucursal')) return undefined;
  // No account has an empty name: visits take nobody's turns.
  const caller = { requestId, account: '', signal: AbortSignal.timeout(BRANCH_WAIT_MS) };
  return (await branches.destination({ code }, caller))?.branch;
}

/** Answers the address of a page that cannot be decoded, such as `/rastreo/%E0`, as an unknown guide. */
export function trackingProblems(config: ApiConfig) {
  const carrier = carrierOf(config);
  return ({ url }: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    if (!/^\/+rastreo\//.test(url)) return undefined;
    const { status, page } = guideErrors['guide-not-found'];
    return sendPage(reply.code(status), problemPage({ ...carrier, ...page }));
  };
}
