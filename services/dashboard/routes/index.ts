import type { HttpServer } from '#shared/http/http-server.ts';
import { BULL_BOARD_PATH } from '../bull-board.ts';
import type { QueueState } from '../status/queue-state.ts';
import { statusPage } from '../views/status-page.ts';

/** `/`: the page "Estado". To be registered where a session is required. */
export function statusRoute(readState: () => Promise<QueueState>, runbookUrl: string | undefined) {
  return async (server: HttpServer) => {
    server.get('/', async ({ apiUser }, reply) => {
      const username = apiUser?.username ?? '';
      const page = statusPage(await readState(), { username, runbookUrl, boardPath: BULL_BOARD_PATH });
      return reply.type('text/html; charset=utf-8').send(page);
    });
  };
}
