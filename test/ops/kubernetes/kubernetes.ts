import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { repoRoot } from '#local/folders.ts';

/** What of a Kubernetes object the tests look at; the whole of it is checked by types and schemas. */
export type KubernetesObject = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Labels };
  spec: Spec;
  stringData?: Record<string, string>;
};
export type Labels = Record<string, string>;
export type Selector = {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
};
export type Peer = { podSelector?: Selector; namespaceSelector?: Selector; ipBlock?: { cidr: string } };
export type Traffic = { from?: Peer[]; to?: Peer[]; ports: { port: number | string; protocol?: string }[] };
export type Container = {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: object }[];
  envFrom?: { configMapRef: { name: string } }[];
  startupProbe?: { exec?: { command: string[] } };
  livenessProbe?: object;
  readinessProbe?: object;
  lifecycle?: { preStop?: { exec: { command: string[] } } };
  resources?: Record<'requests' | 'limits', object>;
  securityContext?: object;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
};
export type Pod = {
  containers: Container[];
  initContainers?: Container[];
  volumes?: {
    name: string;
    emptyDir?: { medium?: string };
    secret?: { secretName: string };
    projected?: {
      sources: { secret: { name: string; items: { key: string; path: string }[] } }[];
    };
  }[];
  securityContext?: object;
  automountServiceAccountToken?: boolean;
  terminationGracePeriodSeconds: number;
  topologySpreadConstraints?: { topologyKey: string }[];
};
/** The fields of all kinds in one: each kind has some of them. */
export type Spec = {
  replicas?: number;
  strategy?: object;
  template: { metadata: { labels: Labels; annotations?: Labels }; spec: Pod };
  selector: Selector;
  maxUnavailable?: number;
  podSelector: Selector;
  policyTypes: string[];
  ingress?: Traffic[];
  egress?: Traffic[];
  rules: { http: { paths: { path: string; backend: { service: { name: string } } }[] } }[];
  scaleTargetRef: { name: string };
  ports: { port: number }[];
};

export type Kustomization = {
  resources: string[];
  images?: { name: string; newTag?: string; digest?: string }[];
  replicas?: { name: string; count: number }[];
  configMapGenerator?: { name: string; literals: string[] }[];
};

const folder = join(repoRoot, 'k8s');

/** A file's text with aliases and merge keys as the tools of Kubernetes read them. */
export function readObjects(path: string): KubernetesObject[] {
  const documents = parseAllDocuments(readFileSync(join(folder, path), 'utf8'), { merge: true });
  return documents.map((document) => document.toJS());
}

export function readKustomization(name: string): Kustomization {
  return parse(readFileSync(join(folder, name, 'kustomization.yaml'), 'utf8'));
}

/**
 * All that an overlay applies: its own files and the base's. The overlays have no patches (a test says so), so what
 * stands in the files is what a cluster gets, but for the image's version and the number of copies.
 */
export function readOverlay(name: string): KubernetesObject[] {
  return readKustomization(name).resources.flatMap((resource) =>
    resource.startsWith('../')
      ? readOverlay(resource.slice('../'.length))
      : readObjects(join(name, resource)),
  );
}

export function selects(selector: Selector | undefined, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`${operator} is not known here`);
      return values.includes(labels[key] ?? '');
    })
  );
}
