import { loadConfig } from '../../shared/config.ts';
import { createLogger } from '../../shared/logger.ts';
import { runService } from '../../shared/service.ts';
import { startTracing } from '../../shared/tracing.ts';
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
