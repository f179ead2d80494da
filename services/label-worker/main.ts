import { loadConfig } from '../../shared/config.ts';
import { createLogger } from '../../shared/logger.ts';
import { runService } from '../../shared/service.ts';
import { startTracing } from '../../shared/tracing.ts';
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
