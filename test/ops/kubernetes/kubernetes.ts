import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { repoRoot } from '#local/folders.ts';

/** What of a Kubernetes object the tests look at; the whole of it is checked by types and schemas. */
export type KubernetesObject = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Labels; annotations?: Labels };
  spec: Spec;
  stringData?: Record<string, string>;
};
export type Labels = Record<string, string>;
export type Selector = {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
};
export type Peer = {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
};
export type Traffic = {
  from?: Peer[];
  to?: Peer[];
  ports: { port: number | string; endPort?: number; protocol?: string }[];
};
type Amounts = { cpu: string; memory: string };
export type Container = {
  name: string;
  image: string;
  ports?: { name: string }[];
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: { configMapKeyRef?: { name: string; key: string } } }[];
  envFrom?: { configMapRef: { name: string } }[];
  volumeMounts?: { name: string; mountPath: string }[];
  startupProbe?: { exec?: { command: string[] }; httpGet?: { path: string } };
  livenessProbe?: { httpGet?: { path: string } };
  readinessProbe?: { httpGet?: { path: string } };
  resources?: Record<'requests' | 'limits', Amounts>;
};
export type Pod = {
  containers: Container[];
  initContainers?: Container[];
  volumes?: {
    name: string;
    secret?: { secretName: string };
    projected?: { sources: { secret: { name: string; items: { key: string; path: string }[] } }[] };
  }[];
  terminationGracePeriodSeconds: number;
};
/** The fields of all kinds in one: each kind has some of them. */
export type Spec = {
  replicas?: number;
  /** Of a Deployment. */
  strategy?: { type?: string; rollingUpdate?: { maxUnavailable: number; maxSurge: number } };
  /** Of a CronJob. */
  jobTemplate?: { spec: Spec };
  /** Of a StatefulSet. */
  volumeClaimTemplates?: { metadata: { name: string } }[];
  template: { metadata: { labels: Labels; annotations?: Labels }; spec: Pod };
  selector: Selector;
  podSelector: Selector;
  policyTypes: string[];
  ingress?: Traffic[];
  egress?: Traffic[];
  rules: { host: string; http: { paths: { path: string; backend: { service: { name: string } } }[] } }[];
  scaleTargetRef: { name: string };
  /** Of a ScaledObject. */
  triggers?: { metadata: { query: string; threshold: string } }[];
  maxReplicaCount?: number;
  /** Of a HorizontalPodAutoscaler. */
  maxReplicas?: number;
  /** Of an HTTPRoute. */
  hostnames?: string[];
  ports: { port: number }[];
};

export type Kustomization = {
  namespace?: string;
  resources?: string[];
  components?: string[];
  /** `target`: of a JSON patch. A strategic merge names its object itself. */
  patches?: { target?: { kind: string; name: string }; patch: string }[];
  replicas?: { name: string; count: number }[];
  configMapGenerator?: { name: string; literals?: string[]; files?: string[]; options?: object }[];
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
 * Returns all that an overlay applies: its own files, those of its base and components, with patches and numbers of copies
 * as kustomize sets them.
 *
 * @param objects what an overlay holds already, for a component that is added to it.
 */
export function readOverlay(name: string, objects: KubernetesObject[] = []): KubernetesObject[] {
  const kustomization = readKustomization(name);
  const { resources = [], components = [], replicas = [] } = kustomization;
  const own = resources.flatMap((resource) =>
    resource.endsWith('.yaml') ? readObjects(join(name, resource)) : readOverlay(join(name, resource)),
  );
  const assembled = components.reduce(
    (all, component) => readOverlay(join(name, component), all),
    [...objects, ...own],
  );
  applyPatches(name, kustomization, assembled);
  for (const { name: deployment, count } of replicas) {
    for (const { metadata, spec } of assembled.filter(({ kind }) => kind === 'Deployment'))
      if (metadata.name === deployment) spec.replicas = count;
  }
  return assembled;
}

/** The name of a target is a regular expression that fits the whole name of an object. */
function applyPatches(name: string, { patches = [] }: Kustomization, objects: KubernetesObject[]): void {
  for (const { target, patch: text } of patches) {
    const patch = parse(text);
    const { kind: wanted, name: pattern } = target ?? { kind: patch.kind, name: patch.metadata.name };
    const fits = new RegExp(`^(${pattern})$`);
    const found = objects.filter(({ kind, metadata }) => kind === wanted && fits.test(metadata.name));
    if (found.length === 0) throw new Error(`${name} patches a ${wanted} ${pattern} that is not there`);
    for (const object of found) {
      if (Array.isArray(patch)) for (const operation of patch) applyOperation(object, operation);
      else mergeInto(object, patch);
    }
  }
}

type Fields = { [field: string]: unknown };

/** Applies a strategic merge: items of lists are found by their names, and null takes a field away. */
function mergeInto(object: Fields, patch: Fields): void {
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete object[field];
    else if (Array.isArray(value))
      for (const item of value) mergeInto(itemOf(object[field], item.name), item);
    else if (typeof value === 'object') {
      object[field] ??= {};
      mergeInto(object[field] as Fields, value as Fields);
    } else object[field] = value;
  }
}

function itemOf(list: unknown, wanted: unknown): Fields {
  const item = (list as Fields[]).find(({ name }) => name === wanted);
  if (!item) throw new Error(`A patch names ${wanted}, which is not there`);
  return item;
}

/** Applies one operation of a JSON patch (RFC 6902), of those that this repository uses. */
function applyOperation(
  object: object,
  { op, path, value }: { op: string; path: string; value: unknown },
): void {
  const keys = path.split('/').slice(1);
  const last = keys.pop() ?? '';
  const parent = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], object);
  if (op === 'add' && last === '-') (parent as unknown[]).push(value);
  else if (op === 'replace' && last in (parent as object)) Object.assign(parent as object, { [last]: value });
  else throw new Error(`The operation ${op} ${path} cannot be applied`);
}

/** The objects whose pods run in a cluster. */
export function workloads(objects: KubernetesObject[]): KubernetesObject[] {
  return objects.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job', 'CronJob'].includes(kind));
}

/** The template of an object's pods. */
export function templateOf({ spec }: KubernetesObject): Spec['template'] {
  return (spec.jobTemplate?.spec ?? spec).template;
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
