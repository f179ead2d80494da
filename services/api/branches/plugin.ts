import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiOptions } from '../config.ts';
import { BranchesClient } from './branches-client.ts';

declare module 'fastify' {
  interface FastifyInstance {
    branches: BranchesClient;
  }
}

/** Time limit of a query to the branches service, in ms, with the wait for a call. */
const TIMEOUT_MS = 6_000;

/** Opens the connections to the branches service. Labels and lists work without it. */
export const branchesPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const branches = new BranchesClient({
    url: config.BRANCHES_URL,
    token: config.INTERNAL_TOKEN,
    timeoutMs: TIMEOUT_MS,
  });
  server.decorate('branches', branches);
  const check = () => branches.ping();
  server.dependencies.set('branches', { check, required: false, secret: 'INTERNAL_TOKEN' });
  server.addHook('onClose', () => branches.close());
});
