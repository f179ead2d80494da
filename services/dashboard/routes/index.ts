import type { HttpServer } from '#shared/http/http-server.ts';
import { BULL_BOARD_PATH } from '../plugins/bull-board/bull-board.ts';
import type { ShardState } from '../status/shard-states.ts';
import { statusPage } from '../views/status-page.ts';

/** `/`: the page "Estado"; `?fragmento=1` shows that shard. To be registered where a session is required. */
export function statusRoute(
  readShards: () => Promise<readonly ShardState[]>,
  runbookUrl: string | undefined,
) {
  return async (server: HttpServer) => {
    server.get('/', async ({ apiUser, query }, reply) => {
      const username = apiUser?.username ?? '';
      const shown = Number((query as { fragmento?: string }).fragmento ?? 0);
      const page = statusPage(await readShards(), shown, {
        username,
        runbookUrl,
        boardPath: BULL_BOARD_PATH,
      });
      return reply.type('text/html; charset=utf-8').send(page);
    });
  };
}
