import { loadConfig } from '#shared/config/load-config.ts';
import { runService } from '#shared/http/run-service.ts';
import { buildCanary } from './app.ts';
import { CanaryConfig } from './config.ts';

const readConfig = () => loadConfig(CanaryConfig, process.env);

await runService('canary', readConfig, (config, log) => buildCanary(config, log, readConfig));
