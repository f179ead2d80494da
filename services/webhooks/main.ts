import { loadConfig } from '#shared/config/load-config.ts';
import { runService } from '#shared/http/run-service.ts';
import { buildWebhooks } from './app.ts';
import { WebhooksConfig } from './config.ts';

await runService('webhooks', () => loadConfig(WebhooksConfig, process.env), buildWebhooks);
