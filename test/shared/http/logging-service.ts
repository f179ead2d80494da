import { closeSync, openSync } from 'node:fs';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { runService } from '#shared/http/run-service.ts';

/** A service that logs as many lines as it is asked for. `/room` gives its log room: the file `LOG_FILE` in place of a full disk. */

const { PORT, LOG_FILE = '' } = process.env;
const config = { HOST: '127.0.0.1', PORT: Number(PORT), LOG_LEVEL: 'info' };

await runService(
  'logging',
  () => config,
  (_, log) =>
    buildHttpServer({ log }, async (server) => {
      server.get<{ Params: { lines: number } }>('/lines/:lines', async ({ params }) => {
        for (let line = 0; line < params.lines; line++) log.info({ pad: 'x'.repeat(1_000) }, 'A long line');
        return 'logged';
      });
      server.get('/room', async () => {
        closeSync(1);
        return openSync(LOG_FILE, 'a'); // the lowest number that is free
      });
    }),
);
