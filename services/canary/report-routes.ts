import { CanaryReport } from '#shared/canary/report.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Canary } from './rounds/canary.ts';

/** What the canary has found, for the dashboard. No login: it names no key, no guide and no person. */
export function reportRoutes(server: HttpServer, canary: Canary): void {
  server.get(
    '/health/rounds',
    { config: { quiet: true }, schema: { response: { 200: CanaryReport } } },
    async () => canary.report(),
  );
}
