import type { TestProject } from 'vitest/node';
import { buildImages } from '#local/engines/build-images.ts';
import { provideDockerEngine } from '#local/engines/docker-engine.ts';
import { composeFiles, imageEnv } from '#local/engines/stand-ins.ts';
import { stopAllProcesses } from '#local/process/owned-process.ts';
import { ensurePrograms } from '#local/programs/ensure-programs.ts';
import { labelReaders } from '#local/test-servers.ts';
import { ComposeProject } from './compose-project.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** What `docker compose` and testcontainers need in their environment, the files of the project among it. */
    composeEnv: Record<string, string>;
  }
}

/** Provides an engine, and builds all images with it. */
export default async function setup(project: TestProject) {
  const log = (line: string) => void process.stdout.write(`${line}\n`);
  try {
    await ensurePrograms(labelReaders, log);
    const engine = await provideDockerEngine(log);
    log(`This is ${engine.description}.`);
    const env = { ...engine.env, ...imageEnv(await composeFiles(engine, log)) };
    if (engine.own) await removeFormerRuns(env);
    await buildImages(env, log);
    project.provide('composeEnv', env);
    return () => engine.close();
  } catch (error) {
    await stopAllProcesses();
    throw error;
  }
}

/** Removes what a run that was killed has left in the engine, which starts such containers again. */
async function removeFormerRuns(env: Record<string, string>): Promise<void> {
  const list = ['ls', '--all', '--quiet', '--filter', 'name=guias-test-'];
  const names = await new ComposeProject('guias-test-former', env).compose(...list);
  for (const name of names.split('\n').filter(Boolean)) {
    await new ComposeProject(name, env).compose('down', '--volumes');
  }
}
