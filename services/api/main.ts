import { loadConfig } from '#shared/config/load-config.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { startTracing } from '#shared/observability/tracing.ts';
import { runService } from '#shared/run-service.ts';
import { buildApi } from './app.ts';
import { ApiConfig } from './config.ts';
import { listen } from './listen.ts';

await runService(async () => {
  const config = loadConfig(ApiConfig, process.env);
  await startTracing('api', process.env);
  const log = createLogger('api', config.LOG_LEVEL);
  const service = await buildApi(config, log);
  await listen(service, { host: config.HOST, port: config.PORT });
  return { log, deadlineMs: config.SHUTDOWN_MS, service };
});
