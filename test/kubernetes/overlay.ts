import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repoRoot } from '#local/folders.ts';

/** The images of this project, as Compose builds them and the manifests name them. */
const IMAGES = ['api', 'branches', 'canary', 'dashboard', 'label-worker', 'setup', 'webhooks'];
/** The registry that k8s/production names as an example. */
const EXAMPLE = 'registry.example/';
/** Where the nodes find the images; without it, each node has them already. */
const REGISTRY = process.env.IMAGE_REGISTRY ? `${process.env.IMAGE_REGISTRY}/` : '';

/** Reaches the api from outside of the cluster, in place of the Gateway, which may not be there. */
const OUTSIDE = [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'outside' },
    spec: {
      type: 'NodePort',
      selector: { 'app.kubernetes.io/name': 'api' },
      ports: [{ port: 3000, targetPort: 'http' }],
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'outside' },
    spec: {
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'api' } },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: 3000 }] }],
    },
  },
];

/**
 * Writes a kustomization on top of one of k8s/, with images of the tag `local`. That of `small` has the component of
 * `K8S_COMPONENT`, where the variable names one: what this cluster needs besides. @returns its folder.
 */
export function writeOverlay(name: 'small' | 'production', more: Record<string, unknown> = {}): string {
  const folder = join(repoRoot, '.local/kubernetes', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'outside.json'),
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: OUTSIDE }),
  );
  const component = name === 'small' && process.env.K8S_COMPONENT;
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: 'guias',
    resources: [relative(folder, join(repoRoot, 'k8s', name)), 'outside.json'],
    components: component ? [relative(folder, component)] : [],
    images: ['', EXAMPLE].flatMap((from) =>
      IMAGES.map((image) => ({
        name: `${from}guias/${image}`,
        newName: `${REGISTRY}guias/${image}`,
        newTag: 'local',
      })),
    ),
    // k8s/production demands a decision.
    ...(name === 'production' && {
      configMapGenerator: [{ name: 'api', behavior: 'merge', literals: ['RETENTION_DAYS=1825'] }],
    }),
    ...more,
  };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization, null, 2));
  return folder;
}
