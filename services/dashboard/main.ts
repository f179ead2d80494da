import { loadConfig } from '#shared/config/load-config.ts';
import { runService } from '#shared/http/run-service.ts';
import { buildDashboard } from './app.ts';
import { DashboardConfig } from './config.ts';

await runService('dashboard', () => loadConfig(DashboardConfig, process.env), buildDashboard);
