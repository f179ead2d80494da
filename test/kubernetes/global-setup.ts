import type { TestProject } from 'vitest/node';
import { provideCluster } from '#local/engines/kubernetes/cluster.ts';
import type { Images } from '#local/engines/kubernetes/overlay.ts';
import { loadProjectImages, STAND_INS_LABEL } from '#local/engines/kubernetes/project-images.ts';
import { stopAllProcesses } from '#local/process/owned-process.ts';
import { ensurePrograms } from '#local/programs/ensure-programs.ts';
import { labelReaders } from '#local/test-servers.ts';
import { Client } from '#test/fixtures/client.ts';
import { Kubectl } from './kubectl.ts';
import { apiUrl, installSmall, loadData, USER } from './small.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** What `kubectl` needs in its environment. */
    kubernetesEnv: Record<string, string>;
    images: Images;
    /** Seconds from nothing until every pod of k8s/small is ready. */
    startSeconds: number;
    /** Of k8s/small's api. */
    url: string;
    /** Of a user of it. */
    token: string;
  }
}

/** Provides a cluster, and installs k8s/small on it. */
export default async function setup(project: TestProject) {
  const log = (line: string) => void process.stdout.write(`${line}\n`);
  try {
    await ensurePrograms(labelReaders, log);
    const cluster = await provideCluster(log);
    log(`This is ${cluster.description}.`);
    await loadProjectImages(cluster, log);
    if (!cluster.own) {
      log('Its nodes must have guias/*:local (kind load docker-image …), or find them in IMAGE_REGISTRY.');
    }
    const kubectl = new Kubectl('guias', cluster.env);
    const standIns =
      (await kubectl.run('get', 'nodes', '--selector', STAND_INS_LABEL, '--output', 'name')) !== '';
    const images = { registry: process.env.IMAGE_REGISTRY ? `${process.env.IMAGE_REGISTRY}/` : '', standIns };
    log('Installing k8s/small…');
    project.provide('startSeconds', await installSmall(kubectl, images));
    await loadData(kubectl);
    const url = await apiUrl(kubectl);
    project.provide('kubernetesEnv', cluster.env);
    project.provide('images', images);
    project.provide('url', url);
    project.provide('token', (await Client.login(url, USER.name, USER.password)).token);
    return async () => {
      if (!cluster.own) await kubectl.run('delete', 'namespace', 'guias');
      await cluster.close();
    };
  } catch (error) {
    await stopAllProcesses();
    throw error;
  }
}
