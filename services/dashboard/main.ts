import { loadConfig } from '#shared/config/load-config.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { startTracing } from '#shared/observability/tracing.ts';
import { runService } from '#shared/run-service.ts';
import { buildDashboard } from './app.ts';
import { DashboardConfig } from './config.ts';

await runService(async () => {
  const config = loadConfig(DashboardConfig, process.env);
  await startTracing('dashboard', process.env);
  const log = createLogger('dashboard', config.LOG_LEVEL);
  const service = await buildDashboard(config, log);
  await service.listen({ host: config.HOST, port: config.PORT });
  return { log, deadlineMs: config.SHUTDOWN_MS, service };
});
