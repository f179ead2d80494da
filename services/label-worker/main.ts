import { loadConfig } from '#shared/config/load-config.ts';
import { runService } from '#shared/http/run-service.ts';
import { buildLabelWorker } from './app.ts';
import { LabelWorkerConfig } from './config.ts';

await runService('label-worker', () => loadConfig(LabelWorkerConfig, process.env), buildLabelWorker);
