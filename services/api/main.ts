import { loadConfig } from '#shared/config/load-config.ts';
import { runService } from '#shared/http/run-service.ts';
import { buildApi } from './app.ts';
import { ApiConfig } from './config.ts';
import { listen } from './listen.ts';

await runService(
  'api',
  () => loadConfig(ApiConfig, process.env),
  async (...options) => (await buildApi(...options)).server,
  listen,
);
