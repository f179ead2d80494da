import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { test } from '#test/fixtures/folder.ts';

/** `npm test` takes containers for Redis and MongoDB where an engine runs (test/fixtures/test-servers.ts): some of its files do. */

test('npm test runs on containers', async ({ folder }) => {
  const files = ['test/api/accounts', 'test/e2e/main-job'];
  const results = join(folder, 'results.json');
  const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const vitest = join(repoRoot, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', 'test/vitest.config.ts', ...report, ...files];
  const env = { ...process.env, TEST_SERVERS: 'docker' };
  await promisify(execFile)(process.execPath, args, { cwd: repoRoot, env, maxBuffer: 2 ** 24 });
  const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(results, 'utf8'));
  expect(numPassedTests).toBeGreaterThan(40);
  expect(numPassedTests).toBe(numTotalTests);
});
