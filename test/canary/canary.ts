import { randomBytes } from 'node:crypto';
import { KeyStore } from '#services/api/keys/key-store.ts';
import { buildCanary } from '#services/canary/app.ts';
import { CanaryConfig } from '#services/canary/config.ts';
import { type NewUser, UserStore } from '#shared/accounts/user-store.ts';
import { canaryNames } from '#shared/canary/names.ts';
import type { CanaryReport } from '#shared/canary/report.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { printingTest, type Settings } from '#test/fixtures/services.ts';

/** Tests with the canary's account, and `startCanary`, on services in this process that print. */
export const test = printingTest
  .extend('secrets', { scope: 'file' }, async ({ stores }) => {
    const CANARY_PASSWORD = randomBytes(16).toString('hex');
    const { account, user, loginUser } = canaryNames('');
    const make = await userMaker(new UserStore(stores.mongo), CANARY_PASSWORD);
    const own: Partial<NewUser> = { account, test: true, canaryOf: '', originBranch: 'MEX01' };
    const permissions: NewUser['permissions'] = [
      ...(['guias.create', 'guias.read', 'guias.cancel', 'guias.quote', 'webhooks.admin'] as const),
    ];
    await make(user, { ...own, permissions });
    await make(loginUser, own);
    const made = await new KeyStore(stores.mongo).create({ username: user, name: 'guardia' }, true);
    return { CANARY_KEY: made?.text ?? '', CANARY_PASSWORD };
  })
  .extend('startCanary', { scope: 'file' }, ({ api, secrets }, { onCleanup }) => {
    return async (settings: Settings = {}) => {
      const usual = {
        ...secrets,
        CUSTOMERS_URL: api.url,
        PORT: '0',
        LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
      };
      const config = loadConfig(CanaryConfig, { ...usual, ...settings });
      const server = await buildCanary(config, createLogger('canary', config.LOG_LEVEL));
      onCleanup(() => server.close());
      const url = await server.listen({ host: '127.0.0.1', port: 0 });
      const report = async () => (await (await fetch(`${url}/health/rounds`)).json()) as CanaryReport;
      return { url, report };
    };
  });
