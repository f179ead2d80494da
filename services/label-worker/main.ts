import { loadConfig } from '#shared/config/load-config.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { startTracing } from '#shared/observability/tracing.ts';
import { runService } from '#shared/run-service.ts';
import { buildLabelWorker } from './app.ts';
import { LabelWorkerConfig } from './config.ts';

await runService(async () => {
  const config = loadConfig(LabelWorkerConfig, process.env);
  await startTracing('label-worker', process.env);
  const log = createLogger('label-worker', config.LOG_LEVEL);
  const service = await buildLabelWorker(config, log);
  await service.listen({ host: config.HOST, port: config.PORT });
  return { log, deadlineMs: config.SHUTDOWN_MS, service };
});
