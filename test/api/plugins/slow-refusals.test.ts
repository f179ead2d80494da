import { expect } from 'vitest';
import { call } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

const test = services.override('settings', { REQUESTS_PER_MINUTE_PER_ADDRESS: '1' });

test('a refusal with 429 is held for a quarter of a second, so that who does not wait is slowed', async ({
  api,
}) => {
  expect((await call(`${api.url}/api/sucursales`)).status).toBe(401);
  const asked = performance.now();
  expect((await call(`${api.url}/api/sucursales`)).status).toBe(429);
  expect(performance.now() - asked).toBeGreaterThanOrEqual(249);
});
