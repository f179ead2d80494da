import { CanaryReport } from '#shared/canary/report.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { pagePolicy } from '#shared/http/security-headers.ts';
import { roundsPage, STYLE } from './page.ts';
import type { Canary } from './rounds/canary.ts';

/** The page loads its style sheet alone. */
export const PAGE_POLICY = pagePolicy();

/** What the canary has found: for the dashboard, and as a page for people. Without login: it names no key, no guide and no person. */
export function reportRoutes(server: HttpServer, canary: Canary): void {
  const quiet = { config: { quiet: true } };
  server.get('/health/rounds', { ...quiet, schema: { response: { 200: CanaryReport } } }, async () =>
    canary.report(),
  );
  server.get('/', quiet, async (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(roundsPage(canary)),
  );
  server.get('/rondas.css', quiet, async (_request, reply) =>
    reply.header('cache-control', 'max-age=60').type('text/css; charset=utf-8').send(STYLE),
  );
}
