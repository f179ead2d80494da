import { buildImages } from './build-images.ts';
import { type DockerEngine, provideDockerEngine } from './docker-engine.ts';
import { log, offer, runCommand } from './offer.ts';
import { composeFiles, imageEnv } from './stand-ins.ts';

/**
 * `npm run engine`: provides Docker Engine and Compose, and the images that cannot be pulled, until Ctrl-C.
 * `npm run engine -- build` builds the images with it instead, and ends. Exit code 1: failed, 3: there is no engine.
 */

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

await runCommand(async () => {
  const { engine, env } = (await provide()) ?? {};
  if (!engine || !env) return;
  if (process.argv[2] === 'build') await buildImages(env, log);
  else {
    log(`This is ${engine.description}, until Ctrl-C. For other terminals:`);
    await offer(env);
  }
  await engine.close();
});
