import type { TestProject } from 'vitest/node';
import { Client } from '#test/fixtures/client.ts';
import { Kubectl } from './kubectl.ts';
import { apiUrl, installSmall, loadData, USER } from './small.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Seconds from nothing until every pod of k8s/small is ready. */
    startSeconds: number;
    /** Of k8s/small's api. */
    url: string;
    /** Of a user of it. */
    token: string;
  }
}

/** Installs k8s/small in the namespace `guias`, which must not be there, and removes it after the run. */
export default async function setup(project: TestProject) {
  const kubectl = new Kubectl('guias');
  process.stdout.write(
    'Installing k8s/small. The nodes must have guias/*:local (kind load docker-image …), or find them in IMAGE_REGISTRY.\n',
  );
  project.provide('startSeconds', await installSmall(kubectl));
  await loadData(kubectl);
  const url = await apiUrl(kubectl);
  project.provide('url', url);
  project.provide('token', (await Client.login(url, USER.name, USER.password)).token);
  return async () => {
    await kubectl.run('delete', 'namespace', 'guias', '--wait=false');
  };
}
