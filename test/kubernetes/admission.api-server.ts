import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test as base, expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { makeTemporaryFolder, repoRoot } from '#local/folders.ts';
import { type KubernetesObject, templateOf, workloads } from '#test/ops/kubernetes/kubernetes.ts';
import { customResourceDefinitions } from './custom-resources.ts';
import { Kubectl } from './kubectl.ts';

/**
 * A real api server takes what is in k8s/: its schemas, its admission and its Pod Security. On a cluster without a node,
 * where nothing runs what was taken.
 */

const test = base
  .extend('folder', { scope: 'file' }, async ({}, { onCleanup }) => {
    const folder = makeTemporaryFolder(join(repoRoot, '.local'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    return folder;
  })
  .extend('kubectl', { scope: 'file' }, async () => {
    const kubectl = new Kubectl('guias');
    // In a whole cluster, a controller makes it in each namespace.
    await kubectl.run('create', 'namespace', 'guias');
    await kubectl.run('create', 'serviceaccount', 'default');
    return kubectl;
  })
  /** Applies objects as `kubectl apply --server-side` does; a warning of the api server is an error. */
  .extend('apply', { scope: 'file' }, ({ kubectl }) => {
    const command = ['apply', '--server-side', '--warnings-as-errors', '-f', '-'];
    return (items: object[], ...options: string[]) =>
      kubectl.pipe(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }), ...command, ...options);
  });

/** Returns the pod that a workload's controller makes; an empty folder is in place of each volume of its own. */
function podOf(workload: KubernetesObject) {
  const { metadata, spec } = templateOf(workload);
  const claimed = workload.spec.volumeClaimTemplates ?? [];
  const volumes = claimed.map((claim) => ({ name: claim.metadata.name, emptyDir: {} }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name: `of-${workload.metadata.name}` },
    spec: { ...spec, volumes: [...(spec.volumes ?? []), ...volumes] },
  };
}

/** Returns the objects of an overlay with these components, as kustomize renders them. */
async function render(kubectl: Kubectl, folder: string, overlay: string, components: string[]) {
  const wrapper = join(folder, 'overlay');
  mkdirSync(wrapper, { recursive: true });
  const path = (name: string) => relative(wrapper, join(repoRoot, 'k8s', name));
  const kustomization = { resources: [path(overlay)], components: components.map(path) };
  writeFileSync(join(wrapper, 'kustomization.yaml'), JSON.stringify(kustomization));
  const text = await kubectl.run('kustomize', wrapper);
  return parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
}

test.for<[string, string[]]>([
  ['small', []],
  ['small', ['components/backup', 'components/gateway', 'monitoring']],
  ['production', []],
  [
    'production',
    ['private-ca', 'label-templates', 'evidence-bucket', 'notices', 'notice-template', 'ingress']
      .map((name) => `components/${name}`)
      .concat('monitoring'),
  ],
])(
  '%s with %j is taken, and its pods are restricted ones',
  async ([overlay, components], { folder, kubectl, apply }) => {
    const objects = await render(kubectl, folder, overlay, components);
    const definitions = customResourceDefinitions(objects);
    if (definitions.length > 0) {
      await apply(definitions);
      await kubectl.run('wait', '--for=condition=Established', 'customresourcedefinitions', '--all');
    }
    const namespaces = objects.filter(({ kind }) => kind === 'Namespace');
    await apply(namespaces);
    // The pods of a Job cannot change, as another overlay's do.
    await kubectl.run('delete', 'jobs', '--all', '--namespace=guias');
    await apply(objects);
    // Pod Security and priorities are checked where a pod is made: by a controller, or here.
    const pods = workloads(objects).map(podOf);
    expect(pods.length).toBeGreaterThan(4);
    await apply(pods, '--dry-run=server');
  },
);

test('a misspelt field is refused', async ({ apply }) => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'misspelt' } };
  const misspelt = { ...service, spec: { ports: [{ port: 80 }], selectors: {} } };
  await expect(apply([misspelt])).rejects.toThrow('unknown field');
});

test('a pod that may be root is refused', async ({ apply }) => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'root' } };
  const spec = { containers: [{ name: 'root', image: 'guias/api:local' }] };
  await expect(apply([{ ...pod, spec }])).rejects.toThrow('violates PodSecurity "restricted:latest"');
});
