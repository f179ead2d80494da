import type { TestProject } from 'vitest/node';
import { provideTestServers } from '../../local/servers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A MongoDB without a database in its path: each test file takes one of its own. */
    mongoUri: string;
    redisUrl: string;
    chromiumPath: string;
  }
}

/** Real servers for all test files; one that cannot be had fails the run. */
export default async function setup(project: TestProject) {
  const servers = await provideTestServers((line) => process.stdout.write(`${line}\n`));
  project.provide('mongoUri', servers.mongoUri);
  project.provide('redisUrl', servers.redisUrl);
  project.provide('chromiumPath', servers.chromiumPath);
  return servers.close;
}
