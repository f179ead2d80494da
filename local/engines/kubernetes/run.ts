import { stopAllProcesses } from '../../process/owned-process.ts';
import { stopSignal } from '../../start/stop-signal.ts';
import { provideCluster } from './cluster.ts';
import { loadProjectImages } from './project-images.ts';

/** `npm run cluster`: provides Kubernetes, with the images of this checkout on its node, until Ctrl-C. */

const log = (line: string) => void process.stderr.write(`${line}\n`);
try {
  const cluster = await provideCluster(log);
  await loadProjectImages(cluster, log);
  log(`This is ${cluster.description}, until Ctrl-C. For kubectl in other terminals:`);
  for (const [name, value] of Object.entries(cluster.env))
    process.stdout.write(`export ${name}='${value}'\n`);
  await stopSignal(() => log('Stopping…'));
  await cluster.close();
} catch (error) {
  log((error as Error).message);
  process.exitCode = 1;
} finally {
  await stopAllProcesses();
}
