import { loadConfig } from '#shared/config/load-config.ts';
import { runService } from '#shared/http/run-service.ts';
import { buildBranches } from './app.ts';
import { BranchesConfig } from './config.ts';

await runService('branches', () => loadConfig(BranchesConfig, process.env), buildBranches);
