import type { TestProject } from 'vitest/node';
import { provideDockerEngine } from '#local/engines/docker-engine.ts';
import { composeFiles } from '#local/engines/stand-ins.ts';
import { stopAllProcesses } from '#local/process/owned-process.ts';
import { ensurePrograms } from '#local/programs/ensure-programs.ts';
import { labelReaders } from '#local/test-servers.ts';
import { ComposeProject } from './compose-project.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** What `docker compose` needs in its environment, the files of the project among it. */
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
    const env = { ...engine.env, COMPOSE_FILE: (await composeFiles(engine, log)).join(':') };
    if (engine.own) await removeFormerRuns(env);
    log('Building the images…');
    const started = performance.now();
    await new ComposeProject('guias-test-build', env).compose('--profile', 'operator', 'build', '--quiet');
    log(`The images are built, after ${Math.round((performance.now() - started) / 1_000)} s.`);
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
