import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repoRoot } from '../../folders.ts';

/** What a cluster's nodes have, in place of what the manifests name. */
export type Images = {
  /** Where our images are: a registry with a slash at the end, or nothing for those that the nodes have. */
  registry: string;
  /** Whether FerretDB stands in for MongoDB. It has no roles by collection. */
  standIns: boolean;
};

/** Our images, as Compose builds them and the manifests name them. */
export const IMAGES = ['api', 'branches', 'dashboard', 'label-worker', 'setup'];
/** The registry that k8s/production names as an example. */
const EXAMPLE = 'registry.example/';
const STAND_IN_USERS = 'stand-in-users.ts';

/** Reaches the api from outside of the cluster, in place of the Ingress, for which there is no controller. */
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

/** Writes a kustomization on top of one of k8s/, and returns its folder. */
export function writeOverlay(name: string, images: Images, more: Record<string, unknown> = {}): string {
  const folder = join(repoRoot, '.local/kubernetes', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { resources = [], patches = [], ...rest } = more as { resources?: string[]; patches?: unknown[] };
  writeFileSync(
    join(folder, 'outside.json'),
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: OUTSIDE }),
  );
  const standIns = images.standIns && name === 'small' ? standInUsers(folder) : undefined;
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: 'guias',
    resources: [relative(folder, join(repoRoot, 'k8s', name)), 'outside.json', ...resources],
    images: ['', EXAMPLE].flatMap((from) =>
      IMAGES.map((image) => ({
        name: `${from}guias/${image}`,
        newName: `${images.registry}guias/${image}`,
        newTag: 'local',
      })),
    ),
    ...(standIns && { configMapGenerator: standIns.configMapGenerator }),
    patches: [...(standIns?.patches ?? []), ...patches],
    ...rest,
  };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization, null, 2));
  return folder;
}

/** Lets the Job mongo-users run the stand-in's program: DocumentDB has one role only. */
function standInUsers(folder: string) {
  copyFileSync(join(repoRoot, 'local/engines', STAND_IN_USERS), join(folder, STAND_IN_USERS));
  const pod = '/spec/template/spec';
  const path = `local/engines/${STAND_IN_USERS}`;
  const patch = [
    { op: 'replace', path: `${pod}/containers/0/command`, value: ['tini', '--', 'node', path] },
    {
      op: 'add',
      path: `${pod}/containers/0/volumeMounts/-`,
      value: { name: 'stand-in', mountPath: `/app/${path}`, subPath: STAND_IN_USERS },
    },
    {
      op: 'add',
      path: `${pod}/volumes/-`,
      value: { name: 'stand-in', configMap: { name: 'stand-in-users' } },
    },
  ];
  return {
    configMapGenerator: [{ name: 'stand-in-users', namespace: 'guias', files: [STAND_IN_USERS] }],
    patches: [{ target: { kind: 'Job', name: 'mongo-users' }, patch: JSON.stringify(patch) }],
  };
}
