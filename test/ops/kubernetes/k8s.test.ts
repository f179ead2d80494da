import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { isKey, newKey } from '#services/api/keys/key.ts';
import { ConfigError, loadConfig } from '#shared/config/load-config.ts';
import { BODY_LIMIT_MIB } from '#shared/http/http-errors.ts';
import { SHUTDOWN_MS } from '#shared/http/run-service.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';
import { environmentOf, readTargets } from '../dockerfile.ts';
import { SECRETS, SERVICES, SETTINGS, unknownSettings } from '../settings.ts';
import {
  type Container,
  type KubernetesObject,
  type Pod,
  readKustomization,
  readObjects,
  readOverlay,
  selects,
  type Traffic,
  templateOf,
  workloads,
} from './kubernetes.ts';

/** What of k8s/ no linter knows: what it must have in common with the code. `npm run test:k8s` runs it. */

const OVERLAYS = ['small', 'production'];
const COMPONENTS = repositoryFiles.flatMap(
  (path) => /^k8s\/(components\/[^/]+|monitoring)\/kustomization\.yaml$/.exec(path)?.[1] ?? [],
);
const WITH_ALL = 'small with every component';
const overlays = new Map(OVERLAYS.map((name) => [name, readOverlay(name)]));
overlays.set(
  WITH_ALL,
  COMPONENTS.reduce((objects, name) => readOverlay(name, objects), readOverlay('small')),
);
const objectsOf = (overlay: string) => overlays.get(overlay) ?? [];

/** Longest time that the api takes to read a request, in seconds (`requestTimeout`); labels and stores have less. */
const SLOWEST_ANSWER_S = 30;

const podsOf = (overlay: string) => workloads(objectsOf(overlay));
const podOf = (object: KubernetesObject): Pod => templateOf(object).spec;
const containerOf = (object: KubernetesObject): Container => podOf(object).containers[0] as Container;
const find = (overlay: string, kind: string, name: string) => {
  const found = objectsOf(overlay).find((each) => each.kind === kind && each.metadata.name === name);
  if (!found) throw new Error(`${overlay} has no ${kind} ${name}`);
  return found;
};
const pods = [...overlays.keys()].flatMap((overlay) =>
  podsOf(overlay).map((object) => [`${overlay}: ${object.metadata.name}`, object] as const),
);
const ours = OVERLAYS.flatMap((overlay) => SERVICES.map((name) => [overlay, name] as const));

/** Packages of types, beside Kubernetes' own, by the group of the API. */
const PACKAGES: Readonly<Record<string, string>> = {
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};
const typeOf = ({ apiVersion, kind }: KubernetesObject) =>
  `import('${PACKAGES[apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models'}/${apiVersion}').I${kind}`;

// A cluster lets a misspelt field pass; the types do not.
it('every object has the fields of its kind', () => {
  const files = repositoryFiles.filter((path) => /^k8s\/.*(?<!kustomization)\.yaml$/.test(path));
  const alone = files.flatMap((path) => readObjects(path.slice('k8s/'.length)));
  const source = [...alone, ...objectsOf(WITH_ALL)].map(
    (object, index) => `export const object${index}: ${typeOf(object)} = ${JSON.stringify(object, null, 2)};`,
  );
  const folder = join(repoRoot, '.local/kubernetes-types');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'objects.ts');
  writeFileSync(file, source.join('\n'));
  const tsc = [join(repoRoot, 'node_modules/typescript/bin/tsc'), '--ignoreConfig', '--noEmit', '--strict'];
  const options = ['--module', 'nodenext', '--skipLibCheck', '--types', '', '--pretty', 'false'];
  try {
    execFileSync(process.execPath, [...tsc, ...options, file], { encoding: 'utf8', timeout: 120_000 });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 150_000);

it('production asks for the load of its own namespace', () => {
  const triggers = find('production', 'ScaledObject', 'label-worker').spec.triggers ?? [];
  expect(triggers).toHaveLength(2);
  // kustomize replaces the first text in quotes, and nothing else may name a namespace.
  for (const { metadata } of triggers) {
    expect(metadata.query).toMatch(/^[^"]*\{namespace="guias"(?!.*namespace=)/s);
  }
});

it('production scales by what customers ask for: the canary adds less than a hundredth of one worker', () => {
  const triggers = find('production', 'ScaledObject', 'label-worker').spec.triggers ?? [];
  const unpaused = 'and on (namespace) max by (namespace) (label_queue_paused) == 0';
  expect(
    triggers.map(({ metadata: { query, threshold } }) => [query.split(/\s+/).join(' '), threshold]),
  ).toEqual([
    [`sum by (namespace) (rate(labels_wanted_total{namespace="guias"}[1m])) ${unpaused}`, '140'],
    [
      `sum by (namespace) (max by (namespace, state) (label_queue_jobs{namespace="guias",state=~"waiting|active"})) ${unpaused}`,
      '140',
    ],
  ]);
  // A label each 15 s by each way in.
  const ways = Number(containerOf(find('production', 'Job', 'canary-account')).command?.at(-1));
  expect(ways / 15).toBeLessThan(140 / 100);
});

it('production tells the dashboard how many label workers the autoscaler allows', () => {
  const generated = readKustomization('production').configMapGenerator ?? [];
  const { literals } = generated.find(({ name }) => name === 'dashboard') ?? {};
  const { maxReplicaCount } = find('production', 'ScaledObject', 'label-worker').spec;
  expect(literals).toEqual([`WORKERS_MAX=${maxReplicaCount}`]);
});

it.each(pods)('the pod of %s has no password among its arguments or in its environment', (_, object) => {
  const { containers, initContainers = [] } = podOf(object);
  for (const { command = [], args = [], env = [], startupProbe } of [...containers, ...initContainers]) {
    const words = [...command, ...args, ...(startupProbe?.exec?.command ?? [])].join(' ');
    expect(words).not.toMatch(/requirepass|--pass\b| -a |REDISCLI_AUTH|--password|\/\/[^/]*:[^/]*@/);
    for (const { name, value, valueFrom } of env) {
      const publicUrl = { configMapKeyRef: { name: 'api', key: 'PUBLIC_URL' } };
      if (/^(CUSTOMERS|PUBLIC)_URL$/.test(name)) expect([undefined, publicUrl]).toContainEqual(valueFrom);
      else if (valueFrom) expect(valueFrom).toEqual({ fieldRef: { fieldPath: 'metadata.namespace' } });
      if (SECRETS.includes(name) || /PASSWORD|SECRET|TOKEN|AUTH/.test(name)) expect(name).toMatch(/_FILE$/);
      expect(value ?? '').not.toMatch(/\/\/[^/]*:[^/]*@/);
    }
  }
});

/** The names of the secrets that each pod mounts, by the pod's name. */
const mountedIn = (overlay: string) =>
  podsOf(overlay).map((object) => {
    const secrets = (podOf(object).volumes ?? []).flatMap(({ secret, projected }) => [
      ...(secret ? [secret.secretName] : []),
      ...(projected?.sources ?? []).map((source) => source.secret.name),
    ]);
    return { pod: object.metadata.name, secrets };
  });

describe('the secrets of small', () => {
  const made: KubernetesObject[] = JSON.parse(
    execFileSync(process.execPath, [join(repoRoot, 'local/access/kubernetes-secrets.ts')], {
      encoding: 'utf8',
    }),
  ).items;

  it('are printed by npm run secrets:kubernetes, all that the example names', () => {
    const shape = (all: KubernetesObject[]) =>
      all.map(({ metadata, stringData = {} }) => [metadata.name, Object.keys(stringData).sort()]).sort();
    expect(shape(made)).toEqual(shape(readObjects('secrets.example.yaml')));
  });

  it.each(SERVICES.filter((name) => name !== 'canary'))('let %s log in to its stores as itself', (name) => {
    const own = made.find(({ metadata }) => metadata.name === `guias-${name}`);
    const values = Object.values(own?.stringData ?? {});
    expect(values).not.toEqual([]);
    for (const value of values) expect(new URL(value).username).toBe(name);
  });

  it('let the canary in nowhere but where customers come in', () => {
    const own = made.find(({ metadata }) => metadata.name === 'guias-canary');
    expect(own?.stringData).toEqual({
      CANARY_KEY: expect.toSatisfy(isKey),
      CANARY_PASSWORD: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('are those that its pods mount, each service its own', () => {
    const mounted = mountedIn('small');
    const names = made.map(({ metadata }) => metadata.name);
    expect(names).toEqual(expect.arrayContaining(mounted.flatMap(({ secrets }) => secrets)));
    const common = ['guias-internal', 'guias-jwt', 'guias-webhook-secrets'];
    for (const name of SERVICES) {
      const own = mounted.find(({ pod }) => pod === name)?.secrets.filter((each) => !common.includes(each));
      expect(own).toEqual([`guias-${name}`]);
    }
    // The administrator's password is for MongoDB and the job that makes its users; the operator's is for no pod.
    const having = (secret: string) =>
      mounted.filter(({ secrets }) => secrets.includes(secret)).map(({ pod }) => pod);
    expect(having('guias-mongodb').sort()).toEqual(['mongo', 'mongo-users']);
    expect(having('guias-operator')).toEqual([]);
  });
});

it('the example of External Secrets has those that production mounts', () => {
  const given = readObjects('external-secrets.example.yaml').map(({ metadata }) => metadata.name);
  expect(given).toEqual(expect.arrayContaining(mountedIn('production').flatMap(({ secrets }) => secrets)));
});

/** What customers reach; health and metrics stay inside the cluster. */
const PUBLIC_PATHS = ['/api', '/avisos', '/cotizador', '/devolver', '/mostrador', '/rastreo'];

it('the Ingress exposes the public paths alone, and leaves 413 and slow answers to the api', () => {
  const { metadata, spec } = find(WITH_ALL, 'Ingress', 'api');
  const paths = spec.rules.flatMap(({ http }) => http.paths.map(({ path }) => path));
  expect(paths.toSorted()).toEqual(PUBLIC_PATHS);
  const { annotations = {} } = metadata;
  const numberOf = (name: string) => Number.parseInt(annotations[name] ?? '', 10);
  for (const size of ['nginx.ingress.kubernetes.io/proxy-body-size', 'nginx.org/client-max-body-size'])
    expect(numberOf(size), size).toBeGreaterThan(BODY_LIMIT_MIB);
  for (const controller of ['nginx.ingress.kubernetes.io', 'nginx.org']) {
    for (const time of ['read', 'send'])
      expect(numberOf(`${controller}/proxy-${time}-timeout`)).toBeGreaterThan(SLOWEST_ANSWER_S);
    // `non_idempotent` would send a POST twice, `http_503` would hide our own.
    expect(annotations[`${controller}/proxy-next-upstream`]).toBe('error');
  }
});

it('the one Ingress of the host logs and traces no address, because a return has a secret in its own', () => {
  const ingresses = objectsOf(WITH_ALL).filter(({ kind }) => kind === 'Ingress');
  expect(ingresses.map(({ metadata }) => metadata.name)).toEqual(['api']);
  const [traefik, nginx] = [
    'traefik.ingress.kubernetes.io/router.observability',
    'nginx.ingress.kubernetes.io',
  ];
  expect(ingresses[0]?.metadata.annotations).toMatchObject({
    ...{ [`${nginx}/enable-access-log`]: 'false', [`${nginx}/enable-opentelemetry`]: 'false' },
    ...{ [`${traefik}.accesslogs`]: 'false', [`${traefik}.tracing`]: 'false' },
  });
  // NGINX Ingress Controller refuses an Ingress with a snippet unless its operator allows them.
  expect(Object.keys(ingresses[0]?.metadata.annotations ?? {}).join()).not.toContain('snippet');
});

it('the route of production exposes the same, waits longer than the api answers, and sends nothing twice', () => {
  const rules = find('production', 'HTTPRoute', 'api').spec.rules as unknown as Route[];
  const paths = rules.flatMap(({ matches }) => matches.map(({ path }) => path));
  expect(paths).toEqual(PUBLIC_PATHS.map((value) => ({ type: 'PathPrefix', value })));
  for (const { timeouts, retry } of rules) {
    for (const time of Object.values(timeouts))
      expect(Number.parseInt(time, 10)).toBeGreaterThan(SLOWEST_ANSWER_S);
    expect(retry).toBeUndefined();
  }
});

/** A rule of an HTTPRoute. */
type Route = {
  matches: { path: { type: string; value: string } }[];
  timeouts: { request: string; backendRequest: string };
  retry?: object;
};

it('small and base have no way in but the one that an overlay chooses', () => {
  const kinds = objectsOf('small').map(({ kind }) => kind);
  expect(kinds).not.toContain('Ingress');
  expect(kinds).not.toContain('HTTPRoute');
});

it('production does not start until somebody decides how long guides name persons', () => {
  const generated = readKustomization('production').configMapGenerator ?? [];
  const [, value] = generated.flatMap(({ literals = [] }) => literals)[0]?.split('=') ?? [];
  const start = (days = '') =>
    loadConfig(SETTINGS.api as never, { ...WORKING, ...ADDRESSES, RETENTION_DAYS: days });
  expect(() => start(value)).toThrow('RETENTION_DAYS must be integer');
  expect(() => start('1825')).not.toThrow();
});

describe('the ways in that the canary tries', () => {
  const customersUrl = (overlay: string) =>
    containerOf(find(overlay, 'Deployment', 'canary')).env?.find(({ name }) => name === 'CUSTOMERS_URL');

  it('begin with the Service of the api, or with the address of customers where a component makes a way in', () => {
    expect(customersUrl('small')?.value).toBe('http://api:3000');
    for (const overlay of ['production', WITH_ALL])
      expect(customersUrl(overlay)?.valueFrom).toEqual({
        configMapKeyRef: { name: 'api', key: 'PUBLIC_URL' },
      });
    const { host } = new URL(literalsOf('api').PUBLIC_URL ?? '');
    expect(find('production', 'HTTPRoute', 'api').spec.hostnames).toEqual([host]);
    expect(find(WITH_ALL, 'Ingress', 'api').spec.rules.map((rule) => rule.host)).toEqual([host]);
  });

  it('are each pod of the api that is ready', () => {
    const { spec } = find('small', 'Service', 'api-each');
    expect(spec).toEqual({ ...find('small', 'Service', 'api').spec, clusterIP: 'None' });
  });

  it.each([
    ['small', find('small', 'Deployment', 'api').spec.replicas],
    // One more, while pods are replaced.
    ['production', (find('production', 'HorizontalPodAutoscaler', 'api').spec.maxReplicas ?? 0) + 1],
  ])('are as many in %s as the limits of its account are for', (overlay, processes = 0) => {
    const command = containerOf(find(overlay, 'Job', 'canary-account')).command ?? [];
    expect(command.slice(-3)).toEqual(['canary', '--ways', `${1 + processes}`]);
  });
});

// A process that cannot do what another one can is not ready (docs/contract.md "Canary").
it.each(OVERLAYS)(
  '%s: a rollout of the api stops at the first pod that is not ready, and takes none away',
  (overlay) => {
    const api = find(overlay, 'Deployment', 'api');
    expect(api.spec.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(containerOf(api).readinessProbe?.httpGet?.path).toBe('/health/ready');
    // A pod that waits for its own trial lives: only /health/live ends it.
    for (const probe of ['startupProbe', 'livenessProbe'] as const)
      expect(containerOf(api)[probe]?.httpGet?.path).toBe('/health/live');
  },
);

it('small fits a node with two cores and 8 GB beside the cluster itself, while every pod is being replaced', () => {
  const amount = (text: string) => Number.parseFloat(text) * (/^[\d.]+(Gi)?$/.test(text) ? 1_024 : 1);
  const sum = { millicores: 0, mebibytes: 0 };
  for (const object of workloads(readOverlay('components/backup', readOverlay('small')))) {
    const { replicas = 1, strategy } = object.spec;
    // While it is replaced, one pod more.
    const pods = replicas + (object.kind === 'Deployment' && strategy?.type !== 'Recreate' ? 1 : 0);
    for (const { resources } of podOf(object).containers) {
      const { cpu = '', memory = '' } = resources?.requests ?? {};
      sum.millicores += pods * (cpu.endsWith('m') ? Number.parseInt(cpu, 10) : 1_000 * Number(cpu));
      sum.mebibytes += pods * amount(memory);
    }
  }
  expect(sum.millicores).toBeGreaterThan(1_000);
  expect(sum.millicores).toBeLessThanOrEqual(1_600);
  expect(sum.mebibytes).toBeGreaterThan(4_000);
  expect(sum.mebibytes).toBeLessThanOrEqual(6_100);
});

describe.each(ours)('%s: %s', (overlay, name) => {
  const pod = podOf(find(overlay, 'Deployment', name));
  const container = containerOf(find(overlay, 'Deployment', name));
  const secrets = pod.volumes?.find(({ projected }) => projected)?.projected?.sources ?? [];

  it('has more time to stop than a graceful shutdown takes', () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(SHUTDOWN_MS / 1_000);
    const drain = container.env?.find(({ name }) => name === 'DRAIN_MS')?.value;
    // A worker takes its jobs itself, and no customer calls the canary, so nothing must learn first that they go.
    expect(drain).toBe(['canary', 'label-worker'].includes(name) ? undefined : '6000');
  });

  it('gets every setting that it needs, and only settings that it knows', () => {
    const given = Object.fromEntries(
      (container.env ?? []).map(({ name, value = '', valueFrom }) => [
        name,
        valueFrom?.configMapKeyRef ? literalsOf('api')[valueFrom.configMapKeyRef.key] : value,
      ]),
    );
    const generated = (container.envFrom ?? []).map(({ configMapRef }) => literalsOf(configMapRef.name));
    const env = Object.assign({}, ...generated, given);
    expect(unknownSettings(name, env)).toEqual([]);

    const image = environmentOf(readTargets().get(name) ?? []);
    const files = secrets.flatMap(({ secret }) => secret.items.map(({ path }) => path));
    const named = Object.keys(env).filter((each) => each.endsWith('_FILE'));
    expect(named.map((each) => env[each])).toEqual(files.map((path) => `/run/secrets/${path}`));
    const values = named.map((each) => [each.replace(/_FILE$/, ''), WORKING[each.replace(/_FILE$/, '')]]);
    const plain = Object.entries({ ...image, ...env }).filter(([each]) => !each.endsWith('_FILE'));
    expect(() =>
      loadConfig(SETTINGS[name] as never, Object.fromEntries([...plain, ...values])),
    ).not.toThrow();
  });

  it('does not start with the example of its secrets', () => {
    const example = new Map(
      readObjects('secrets.example.yaml').map((each) => [each.metadata.name, each.stringData ?? {}]),
    );
    const env = secrets.flatMap(({ secret }) =>
      secret.items.map(({ key }) => [key, example.get(secret.name)?.[key]] as const),
    );
    for (const [key, value] of env) expect(value, `${key} in the example`).toBeTruthy();
    const start = () => loadConfig(SETTINGS[name] as never, Object.fromEntries(env));
    expect(start).toThrow(ConfigError);
    for (const [key] of env) expect(start).toThrow(key);
  });
});

/** Components that give the api secrets of their own. */
const API_SECRETS: Readonly<Record<string, { secret: string; settings: Record<string, string> }>> = {
  'evidence-bucket': {
    secret: 'guias-evidence',
    settings: { EVIDENCE_BUCKET: 'https://KEY:SECRET@s3.example/evidencia?region=mx-central-1' },
  },
  notices: {
    secret: 'guias-notices',
    settings: {
      SMTP_URL: 'smtp://guias:PASSWORD@correo.example:587',
      NOTICES_SECRET: randomBytes(32).toString('hex'),
    },
  },
};
const WITH_API_SECRETS = OVERLAYS.flatMap((overlay) =>
  Object.entries(API_SECRETS).map(([component, own]) => ({ overlay, component, ...own })),
);

describe.each(WITH_API_SECRETS)('$overlay with $component', ({ overlay, component, secret, settings }) => {
  const objects = readOverlay(`components/${component}`, readOverlay(overlay));
  const names = Object.keys(settings);
  const withSettings = workloads(objects).filter((object) =>
    containerOf(object).env?.some(({ name }) => name === `${names[0]}_FILE`),
  );

  it('gives them to the api alone, in files beside its other secrets', () => {
    expect(withSettings.map(({ metadata }) => metadata.name)).toEqual(['api']);
    const [api] = withSettings as [KubernetesObject];
    const [secrets] = (podOf(api).volumes ?? []).filter(({ projected }) => projected);
    const own = secrets?.projected?.sources.find((source) => source.secret.name === secret);
    expect(own?.secret.items).toEqual(names.map((name) => ({ key: name, path: name })));
    const mount = containerOf(api).volumeMounts?.find(({ name }) => name === secrets?.name);
    for (const setting of names) {
      const file = containerOf(api).env?.find(({ name }) => name === `${setting}_FILE`);
      expect(file?.value).toBe(`${mount?.mountPath}/${setting}`);
    }
  });

  it('has settings that the api knows', () => {
    const config = loadConfig(SETTINGS.api as never, { ...WORKING, ...ADDRESSES, ...settings });
    expect(config).toMatchObject(settings);
  });
});

/** Returns the settings in a ConfigMap of base. */
function literalsOf(configMap: string): Record<string, string> {
  const made = readKustomization('base').configMapGenerator?.find(({ name }) => name === configMap);
  return Object.fromEntries((made?.literals ?? []).map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

/** Values that a service accepts. */
const WORKING: Readonly<Record<string, string>> = {
  CANARY_KEY: newKey(true),
  CANARY_PASSWORD: randomBytes(32).toString('hex'),
  INTERNAL_TOKEN: randomBytes(32).toString('hex'),
  JWT_SECRET: randomBytes(32).toString('hex'),
  WEBHOOK_SECRETS_KEY: randomBytes(32).toString('hex'),
  MONGODB_URI: 'mongodb://mongo:27017/guias',
  REDIS_URL: 'redis://redis:6379',
  LABEL_CACHE_URL: 'redis://label-cache:6379',
};

const ADDRESSES = { BRANCHES_URL: 'http://branches:3001', WEBHOOKS_URL: 'http://webhooks:3004' };

describe('the network', () => {
  /** Returns the rules of one direction that hold for the pods of a name. @throws Error where no policy holds for them. */
  const rules = (overlay: string, name: string, way: 'Ingress' | 'Egress'): Traffic[] => {
    const object = podsOf(overlay).find(({ metadata }) => metadata.name === name);
    if (!object) throw new Error(`${overlay} has no pod ${name}`);
    const { labels } = templateOf(object).metadata;
    const policies = objectsOf(overlay).filter(
      ({ kind, spec }) =>
        kind === 'NetworkPolicy' && spec.policyTypes.includes(way) && selects(spec.podSelector, labels),
    );
    if (policies.length === 0) throw new Error(`${name} is under no policy, so everything is allowed`);
    return policies.flatMap(({ spec }) => (way === 'Ingress' ? spec.ingress : spec.egress) ?? []);
  };
  const labelsOf = (name: string) => ({ 'app.kubernetes.io/name': name });

  /** Whether one pod reaches another's port: its own rules and the other's must both let it. */
  function reaches(from: string, to: string): boolean {
    const port = find('small', 'Service', to).spec.ports[0]?.port;
    const fits = ({ ports }: Traffic, peers: Traffic['to'], name: string) =>
      ports.some((each) => each.port === port) &&
      (peers ?? []).some(({ podSelector, namespaceSelector }) =>
        podSelector && !namespaceSelector ? selects(podSelector, labelsOf(name)) : false,
      );
    return (
      rules(WITH_ALL, from, 'Egress').some((rule) => fits(rule, rule.to, to)) &&
      rules(WITH_ALL, to, 'Ingress').some((rule) => fits(rule, rule.from, from))
    );
  }

  it('lets each pod talk to those that the architecture names, and to no other', () => {
    const all = podsOf(WITH_ALL).map(({ metadata }) => metadata.name);
    const listening = ['api', 'branches', 'canary', 'dashboard', 'webhooks', 'label-cache', 'mongo', 'redis'];
    const pairs = all.flatMap((from) =>
      listening.filter((to) => to !== from && reaches(from, to)).map((to) => `${from} → ${to}`),
    );
    expect(pairs.toSorted()).toEqual([
      'api → branches',
      'api → label-cache',
      'api → mongo',
      'api → redis',
      'api → webhooks',
      'backup → mongo',
      'branches → mongo',
      'branches → redis',
      'canary → api',
      'canary-account → mongo',
      'dashboard → canary',
      'dashboard → label-cache',
      'dashboard → mongo',
      'dashboard → redis',
      'label-worker → label-cache',
      'label-worker → redis',
      'mongo-users → mongo',
      'operator → mongo',
      'webhooks → canary',
      'webhooks → mongo',
      'webhooks → redis',
    ]);
  });

  it('lets the canary out to the api, where customers come in, and to the DNS', () => {
    const dns = rules('small', 'mongo-users', 'Egress').filter(({ to }) => !to?.[0]?.podSelector);
    const out = rules('small', 'canary', 'Egress');
    expect(out.filter((rule) => !dns.some((each) => isDeepStrictEqual(each, rule)))).toEqual([
      { to: [{ podSelector: { matchLabels: labelsOf('api') } }], ports: [{ port: 3000 }] },
      {
        to: [{ namespaceSelector: { matchLabels: { 'guias/ingress': 'true' } } }],
        ports: [
          { protocol: 'TCP', port: 443 },
          { protocol: 'TCP', port: 1024, endPort: 65_535 },
        ],
      },
    ]);
    expect(dns).toHaveLength(2);
  });

  describe('lets webhooks out', () => {
    /** Whether a policy lets a pod out to an address, DNS aside. */
    const leaves = (name: string, address: string, port: number, overlay = 'small') => {
      const parsed = ipaddr.parse(address);
      const isIn = (cidr: string) => {
        const [network, bits] = ipaddr.parseCIDR(cidr);
        return network.kind() === parsed.kind() && parsed.match([network, bits] as never);
      };
      return rules(overlay, name, 'Egress').some(
        ({ to = [], ports }) =>
          ports.some(({ port: from, endPort = from }) => Number(from) <= port && port <= Number(endPort)) &&
          to.some(
            ({ ipBlock }) =>
              ipBlock && isIn(ipBlock.cidr) && !(ipBlock.except ?? []).some((cidr) => isIn(cidr)),
          ),
      );
    };

    it.each([
      ['8.8.8.8', 443, true],
      ['2606:4700::1', 443, true],
      ['8.8.8.8', 1_023, false],
      ['10.0.0.1', 443, false],
      ['100.64.0.1', 443, false],
      ['169.254.169.254', 443, false],
      ['168.63.129.16', 443, false],
      ['fd00:ec2::254', 443, false],
      ['64:ff9b::a00:1', 443, false],
    ])('to %s at port %i: %s', (address, port, allowed) => {
      expect(leaves('webhooks', address, port)).toBe(allowed);
    });

    it('and no other pod', () => {
      const names = podsOf('small').map(({ metadata }) => metadata.name);
      expect(names.filter((name) => leaves(name, '8.8.8.8', 443))).toEqual(['webhooks']);
    });

    it('and the api to its bucket, with that component', () => {
      const names = podsOf(WITH_ALL).map(({ metadata }) => metadata.name);
      const out = names.filter((name) => leaves(name, '8.8.8.8', 443, WITH_ALL));
      expect(out.toSorted()).toEqual(['api', 'webhooks']);
      expect(leaves('api', '8.8.8.8', 80, WITH_ALL)).toBe(false);
    });
  });

  it.each(ours)('%s: lets Prometheus in to %s', (overlay, name) => {
    const monitoring = [{ namespaceSelector: { matchLabels: { 'guias/monitoring': 'true' } } }];
    expect(rules(overlay, name, 'Ingress')).toContainEqual({ from: monitoring, ports: [{ port: 'http' }] });
  });
});
