import { loadConfig } from '#shared/config/load-config.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { startTracing } from '#shared/observability/tracing.ts';
import { runService } from '#shared/run-service.ts';
import { buildBranches } from './app.ts';
import { BranchesConfig } from './config.ts';

await runService(async () => {
  const config = loadConfig(BranchesConfig, process.env);
  await startTracing('branches', process.env);
  const log = createLogger('branches', config.LOG_LEVEL);
  const service = await buildBranches(config, log);
  await service.listen({ host: config.HOST, port: config.PORT });
  return { log, deadlineMs: config.SHUTDOWN_MS, service };
});
