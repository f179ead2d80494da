import { defineConfig } from 'vitest/config';

const shared = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  maxWorkers: 1,
  fileParallelism: false,
};

/** `npm run test:k8s`: k8s/ on a real cluster, one file after the other. */
export default defineConfig({
  test: {
    reporters: ['verbose'],
    projects: [
      {
        test: {
          ...shared,
          name: 'cluster',
          dir: 'test/kubernetes',
          include: ['*.k8s.ts'],
          globalSetup: './test/kubernetes/global-setup.ts',
        },
      },
      // Needs no node, and no installation.
      { test: { ...shared, name: 'autoscaling', dir: 'test/kubernetes/autoscaling', include: ['*.k8s.ts'] } },
    ],
  },
});
