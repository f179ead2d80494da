import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    dir: 'test',
    globalSetup: './test/helpers/global-setup.ts',
    // Real servers and a real browser on two cores: slow is not wrong, hanging is.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Each file has its own database and queue prefix, but all share the machine's cores.
    maxWorkers: 2,
    reporters: ['default'],
  },
});
