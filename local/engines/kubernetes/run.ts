import { relative } from 'node:path';
import { repoRoot } from '../../folders.ts';
import { stopAllProcesses } from '../../process/owned-process.ts';
import { stopSignal } from '../../start/stop-signal.ts';
import { provideCluster } from './cluster.ts';
import { writeOverlay } from './overlay.ts';
import { loadProjectImages, STAND_INS_LABEL } from './project-images.ts';

/**
 * `npm run cluster`: provides Kubernetes, with the images of this checkout on its node and a kustomization that names them,
 * until Ctrl-C.
 */

const log = (line: string) => void process.stderr.write(`${line}\n`);
try {
  const cluster = await provideCluster(log);
  await loadProjectImages(cluster, log);
  if (cluster.own) {
    const { kubectl } = cluster.own.node;
    const marked = await kubectl('get', 'nodes', '--selector', STAND_INS_LABEL, '--output', 'name');
    const folder = writeOverlay('small', { registry: '', standIns: marked !== '' });
    log(
      `k8s/small with the images of its node: kubectl apply --server-side -k ${relative(repoRoot, folder)}`,
    );
  }
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
