import { loadConfig } from '#shared/config/load-config.ts';
import { runService } from '#shared/http/run-service.ts';
import { buildCanary } from './app.ts';
import { CanaryConfig } from './config.ts';

await runService('canary', () => loadConfig(CanaryConfig, process.env), buildCanary);
