import { stopAllProcesses } from '../process/owned-process.ts';
import { stopSignal } from '../start/stop-signal.ts';
import { provideDockerEngine } from './docker-engine.ts';
import { composeFiles } from './stand-ins.ts';

/** `npm run engine`: provides Docker Engine and Compose, and the images that cannot be pulled, until Ctrl-C. */

const log = (line: string) => void process.stderr.write(`${line}\n`);
try {
  const engine = await provideDockerEngine(log);
  const files = await composeFiles(engine, log);
  const variables = { ...engine.env, COMPOSE_FILE: files.join(':') };
  log(`This is ${engine.description}, until Ctrl-C. For other terminals:`);
  for (const [name, value] of Object.entries(variables)) process.stdout.write(`export ${name}='${value}'\n`);
  await stopSignal(() => log('Stopping…'));
  await engine.close();
} catch (error) {
  log((error as Error).message);
  process.exitCode = 1;
} finally {
  await stopAllProcesses();
}
