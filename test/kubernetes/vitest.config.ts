import { defineConfig } from 'vitest/config';

/** `npm run test:k8s`: k8s/ on a real cluster, one file after the other on the same installation. */
export default defineConfig({
  test: {
    dir: 'test/kubernetes',
    include: ['**/*.k8s.ts'],
    globalSetup: './test/kubernetes/global-setup.ts',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 1,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
