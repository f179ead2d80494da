import { stopAllProcesses } from '../process/owned-process.ts';
import { stopSignal } from '../start/stop-signal.ts';
import { buildImages } from './build-images.ts';
import { type DockerEngine, provideDockerEngine } from './docker-engine.ts';
import { composeFiles, imageEnv } from './stand-ins.ts';

/**
 * `npm run engine`: provides Docker Engine and Compose, and the images that cannot be pulled, until Ctrl-C.
 * `npm run engine -- build` builds the images with it instead, and ends. Exit code 1: failed, 3: there is no engine.
 */

const log = (line: string) => void process.stderr.write(`${line}\n`);

async function provide(): Promise<{ engine: DockerEngine; env: Record<string, string> } | undefined> {
  try {
    const engine = await provideDockerEngine(log);
    return { engine, env: { ...engine.env, ...imageEnv(await composeFiles(engine, log)) } };
  } catch (error) {
    log((error as Error).message);
    process.exitCode = 3;
    return undefined;
  }
}

async function offer(engine: DockerEngine, env: Record<string, string>): Promise<void> {
  log(`This is ${engine.description}, until Ctrl-C. For other terminals:`);
  for (const [name, value] of Object.entries(env)) process.stdout.write(`export ${name}='${value}'\n`);
  await stopSignal(() => log('Stopping…'));
}

try {
  const { engine, env } = (await provide()) ?? {};
  if (engine && env) {
    await (process.argv[2] === 'build' ? buildImages(env, log) : offer(engine, env));
    await engine.close();
  }
} catch (error) {
  log((error as Error).message);
  process.exitCode = 1;
} finally {
  await stopAllProcesses();
}
