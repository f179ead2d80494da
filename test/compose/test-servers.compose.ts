import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { repoRoot } from '#local/folders.ts';

/** `npm test` takes containers for Redis and MongoDB where an engine runs (local/test-servers.ts): some of its files do. */

test('npm test runs on containers', async () => {
  const files = ['test/api/routes', 'test/e2e/main-job'];
  const vitest = join(repoRoot, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', 'test/vitest.config.ts', '--reporter=json', ...files];
  const env = { ...process.env, ...inject('composeEnv'), TEST_SERVERS: 'docker' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repoRoot, env });
  const { numPassedTests, numTotalTests } = JSON.parse(stdout.slice(stdout.indexOf('{"')));
  expect([numPassedTests > 10, numPassedTests]).toEqual([true, numTotalTests]);
});
