import { defineConfig } from 'vitest/config';

/** `npm run test:compose`: docker-compose.yml on a real engine, one file after the other. */
export default defineConfig({
  test: {
    dir: 'test/compose',
    include: ['**/*.compose.ts'],
    globalSetup: ['./test/fixtures/global-programs.ts', './test/compose/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 1,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
