import { relative } from 'node:path';
import { repoRoot } from '../../folders.ts';
import { log, offer, runCommand } from '../offer.ts';
import { provideCluster } from './cluster.ts';
import { writeOverlay } from './overlay.ts';
import { loadProjectImages, STAND_INS_LABEL } from './project-images.ts';

/**
 * `npm run cluster`: provides Kubernetes, with the images of this checkout on its node and a kustomization that names them,
 * until Ctrl-C.
 */

await runCommand(async () => {
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
  await offer(cluster.env);
  await cluster.close();
});
