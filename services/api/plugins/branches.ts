import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { BranchesClient } from '../branches-client.ts';
import type { ApiOptions } from '../config.ts';

declare module 'fastify' {
  interface FastifyInstance {
    branches: BranchesClient;
  }
}

/** Opens the connections to the branches service, without which labels and lists go on. */
export default fp(
  async (server: HttpServer, { config }: ApiOptions) => {
    const branches = new BranchesClient({
      url: config.BRANCHES_URL,
      token: config.INTERNAL_TOKEN,
      timeoutMs: config.BRANCHES_TIMEOUT_MS,
    });
    server.decorate('branches', branches);
    server.dependencies.set('branches', { check: () => branches.ping(), required: false });
    server.addHook('onClose', () => branches.close());
  },
  { name: 'branches' },
);
