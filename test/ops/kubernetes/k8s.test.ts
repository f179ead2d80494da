import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';
import { ConfigError, loadConfig } from '#shared/config/load-config.ts';
import { BODY_LIMIT_MIB } from '#shared/http/http-errors.ts';
import { SHUTDOWN_MS } from '#shared/run-service.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';
import { environmentOf, readTargets } from '../dockerfile.ts';
import { SECRETS, SERVICES, SETTINGS, unknownSettings } from '../settings.ts';
import {
  type Container,
  filesRead,
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

/** What is in k8s/ is held to the API's schemas and to the rules stated below; `npm run test:k8s` runs it. */

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
const every = [
  ...objectsOf(WITH_ALL),
  ...objectsOf('production'),
  ...readObjects('components/backup/restore.yaml'),
  ...readObjects('external-secrets.example.yaml'),
  ...readObjects('secrets.example.yaml'),
  ...readObjects('chromium-seccomp.yaml'),
];

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

/** Packages of types and schemas, beside Kubernetes' own, by the group of the API. */
const PACKAGES: Readonly<Record<string, string>> = {
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};
const moduleOf = ({ apiVersion }: KubernetesObject) =>
  `${PACKAGES[apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models'}/${apiVersion}`;

it('every file of k8s is looked at', () => {
  const files = repositoryFiles
    .filter((path) => /^k8s\/.*\.yaml$/.test(path))
    .map((path) => path.slice('k8s/'.length));
  expect(files).toContain('components/backup/kustomization.yaml');
  expect(files.filter((path) => !filesRead.has(path))).toEqual([]);
});

describe('every object', () => {
  it.each(every.map((each) => [`${each.kind} ${each.metadata.name}`, each] as const))(
    '%s is valid',
    async (_, object) => {
      const models = await import(moduleOf(object));
      const model = new models[object.kind](object);
      expect(() => model.validate()).not.toThrow();
    },
  );

  // The schemas let unknown fields pass, as a cluster does; the types do not, so a misspelt one is found.
  it('has no field that its kind does not know', () => {
    const source = every.map((object, index) => {
      const type = `import('${moduleOf(object)}').I${object.kind}`;
      return `export const object${index}: ${type} = ${JSON.stringify(object, null, 2)};`;
    });
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
});

it.each(['base', ...OVERLAYS, ...COMPONENTS])(
  '%s uses no field of kustomize that these tests ignore',
  (name) => {
    const known = ['resources', 'components', 'patches', 'images', 'replicas', 'configMapGenerator'];
    if (name === 'production') known.push('replacements'); // its own test says what they do
    const fields = Object.keys(readKustomization(name));
    expect(fields.filter((field) => !['apiVersion', 'kind', 'namespace', ...known].includes(field))).toEqual(
      [],
    );
  },
);

it('production asks for the load of its own namespace', () => {
  const queries = find('production', 'ScaledObject', 'label-worker').spec.triggers?.map(
    ({ metadata }) => metadata.query,
  );
  const { namespace, replacements } = readKustomization('production');
  expect(replacements).toEqual([
    {
      source: { kind: 'ScaledObject', name: 'label-worker', fieldPath: 'metadata.namespace' },
      targets: [
        {
          select: { kind: 'ScaledObject', name: 'label-worker' },
          fieldPaths: ['spec.triggers.*.metadata.query'],
          options: { delimiter: '"', index: 1 },
        },
      ],
    },
  ]);
  expect(queries).toHaveLength(2);
  // What kustomize replaces is the first text in quotes, and nothing else names a namespace.
  for (const query of queries ?? []) {
    expect(query.split('"')[0]).toMatch(/\{namespace=$/);
    expect(query.match(/namespace=/g)).toHaveLength(1);
    expect(query.split('"')[1]).toBe(namespace);
  }
});

it.each(['base', ...OVERLAYS])('%s patches nothing but requests', (name) => {
  const operations = (readKustomization(name).patches ?? []).flatMap(({ patch }) => parse(patch));
  expect(operations.length > 0).toBe(name === 'small');
  for (const { path } of operations) expect(path).toMatch(/\/resources\/requests\//);
});

describe.each(pods)('the pod of %s', (_, object) => {
  const pod = podOf(object);
  const containers = [...pod.containers, ...(pod.initContainers ?? [])];

  it('is not root, and has the least privileges', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: expect.any(Number),
      // Chromium's own sandbox needs user namespaces, which the runtime's profile denies.
      seccompProfile:
        object.metadata.name === 'label-worker'
          ? { type: 'Localhost', localhostProfile: 'chromium-seccomp.json' }
          : { type: 'RuntimeDefault' },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    for (const { securityContext } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('has requests and limits', () => {
    for (const { resources } of containers) {
      expect(resources).toEqual({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { cpu: expect.any(String), memory: expect.any(String) },
      });
    }
  });

  it('has startup, liveness and readiness probes, unless nobody calls it', () => {
    if (/Job$/.test(object.kind) || object.metadata.name === 'operator') return;
    for (const { startupProbe, livenessProbe, readinessProbe } of containers) {
      expect(startupProbe && livenessProbe && readinessProbe).toBeTruthy();
    }
  });

  it('holds no secret', () => {
    const variables = containers.flatMap(({ env = [] }) => env);
    for (const { name, value } of variables) {
      const secret = SECRETS.includes(name.replace(/_FILE$/, '')) || /PASSWORD/.test(name);
      if (secret && value !== undefined) expect(`${name}=${value}`).toMatch(/_FILE=\/run\/secrets\//);
    }
  });
});

it.each(pods)('the pod of %s has no password among its arguments or in its environment', (_, object) => {
  for (const { command = [], args = [], env = [], startupProbe } of podOf(object).containers) {
    const words = [...command, ...args, ...(startupProbe?.exec?.command ?? [])].join(' ');
    expect(words).not.toMatch(/requirepass|--pass\b| -a |REDISCLI_AUTH|--password|\/\/[^/]*:[^/]*@/);
    for (const { name, value, valueFrom } of env) {
      expect(valueFrom, name).toBeUndefined();
      if (/PASSWORD|SECRET|TOKEN|AUTH/.test(name)) expect(name).toMatch(/_FILE$/);
      expect(value).not.toMatch(/\/\/[^/]*:[^/]*@/);
    }
  }
});

describe('the secrets of small', () => {
  const made: KubernetesObject[] = JSON.parse(
    execFileSync(process.execPath, [join(repoRoot, 'local/access/kubernetes-secrets.ts')], {
      encoding: 'utf8',
    }),
  ).items;
  const valuesOf = (name: string) => made.find(({ metadata }) => metadata.name === name)?.stringData ?? {};

  it('are printed by npm run secrets:kubernetes, all that the example names', () => {
    const shape = (all: KubernetesObject[]) =>
      all.map(({ metadata, stringData = {} }) => [metadata.name, Object.keys(stringData).sort()]).sort();
    expect(shape(made)).toEqual(shape(readObjects('secrets.example.yaml')));
  });

  it.each(SERVICES)('let %s log in as itself', (name) => {
    const values = Object.values(valuesOf(`guias-${name}`));
    expect(values).not.toEqual([]);
    for (const value of values) expect(new URL(value).username).toBe(name);
  });

  it('are those that its pods mount, each service its own', () => {
    const mountedBy = (object: KubernetesObject) =>
      (podOf(object).volumes ?? []).flatMap(({ secret, projected }) => [
        ...(secret ? [secret.secretName] : []),
        ...(projected?.sources ?? []).map((source) => source.secret.name),
      ]);
    const mounted = podsOf('small').map((object) => [object.metadata.name, mountedBy(object)] as const);
    const names = made.map(({ metadata }) => metadata.name);
    for (const [, secrets] of mounted) for (const each of secrets) expect(names).toContain(each);
    const common = ['guias-internal', 'guias-jwt'];
    for (const name of SERVICES) {
      const own = mounted.find(([pod]) => pod === name)?.[1].filter((each) => !common.includes(each));
      expect(own).toEqual([`guias-${name}`]);
    }
    // The administrator's password, for MongoDB and who makes its users; the operator's, for no pod.
    const having = (secret: string) => mounted.filter(([, all]) => all.includes(secret)).map(([pod]) => pod);
    expect(having('guias-mongodb').sort()).toEqual(['mongo', 'mongo-users']);
    expect(having('guias-operator')).toEqual([]);
  });
});

it('the example of External Secrets has those of production', () => {
  const names = (path: string, kind: string) =>
    readObjects(path)
      .filter((each) => each.kind === kind)
      .map(({ metadata }) => metadata.name);
  const onlySmall = ['guias-backup', 'guias-mongodb', 'guias-redis-users', 'guias-operator'];
  expect(names('secrets.example.yaml', 'Secret')).toEqual(expect.arrayContaining(onlySmall));
  expect(names('external-secrets.example.yaml', 'ExternalSecret')).toEqual(
    names('secrets.example.yaml', 'Secret').filter((name) => !onlySmall.includes(name)),
  );
});

it('no pod of an operator runs until one is asked for', () => {
  expect(find('production', 'Deployment', 'operator').spec.replicas).toBe(0);
});

describe.each(OVERLAYS)('%s', (overlay) => {
  it('pins every image to a version', () => {
    const images = readKustomization(overlay).images ?? [];
    for (const { image } of podsOf(overlay).flatMap((each) => podOf(each).containers)) {
      const given = images.find(({ name }) => name === image);
      const version = given ? (given.digest ?? given.newTag) : image.split(':')[1];
      expect(version, image).toMatch(/^(\d+\.\d+\.\d+|sha256:[0-9a-f]{64})$/);
    }
  });

  it('applies no Secret: nobody runs it with an example value', () => {
    expect(objectsOf(overlay).filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('exposes /api, the tracking page, and nothing else', () => {
    const paths = objectsOf(overlay)
      .filter(({ kind }) => kind === 'Ingress')
      .flatMap(({ spec }) => spec.rules.flatMap(({ http }) => http.paths));
    expect(paths.map(({ path, backend }) => `${path} ${backend.service.name}`)).toEqual([
      '/api api',
      '/rastreo api',
    ]);
  });

  it('names the class of its Ingress, and leaves 413 and slow answers to the api', () => {
    const { metadata, spec } = find(overlay, 'Ingress', 'api');
    expect(spec.ingressClassName).toBe('nginx');
    const mib = (text = '') => Number(/^(\d+)m$/.exec(text)?.[1]);
    const seconds = (text = '') => Number(/^(\d+)s?$/.exec(text)?.[1]);
    const { annotations = {} } = metadata;
    for (const size of ['nginx.ingress.kubernetes.io/proxy-body-size', 'nginx.org/client-max-body-size'])
      expect(mib(annotations[size]), size).toBeGreaterThan(BODY_LIMIT_MIB);
    for (const controller of ['nginx.ingress.kubernetes.io', 'nginx.org']) {
      for (const time of ['read', 'send'])
        expect(seconds(annotations[`${controller}/proxy-${time}-timeout`])).toBeGreaterThan(SLOWEST_ANSWER_S);
      // Only `non_idempotent` would send a POST twice, only `http_503` would hide our own.
      expect(annotations[`${controller}/proxy-next-upstream`]).toBe('error');
    }
    expect(annotations['nginx.ingress.kubernetes.io/disable-proxy-intercept-errors']).toBe('true');
  });
});

it('routes /api, the tracking page, and nothing else, through a Gateway as through the Ingress, as patiently', () => {
  const { spec } = find(WITH_ALL, 'HTTPRoute', 'api');
  expect(spec.rules).toEqual([
    {
      matches: ['/api', '/rastreo'].map((value) => ({ path: { type: 'PathPrefix', value } })),
      backendRefs: [{ name: 'api', port: find('small', 'Service', 'api').spec.ports[0]?.port }],
      timeouts: { request: '60s', backendRequest: '60s' },
    },
  ]);
  expect(60).toBeGreaterThan(SLOWEST_ANSWER_S);
});

it('leaves the number of replicas to the autoscaler where there is one', () => {
  const scaled = objectsOf('production').filter(({ spec }) => spec?.scaleTargetRef);
  const names = scaled.map(({ spec }) => spec.scaleTargetRef.name).sort();
  expect(names).toEqual(['api', 'label-worker']);
  for (const name of names) {
    expect(find('production', 'Deployment', name).spec.replicas).toBeUndefined();
    expect(readKustomization('production').replicas?.map((each) => each.name)).not.toContain(name);
  }
});

describe.each(ours)('%s: %s', (overlay, name) => {
  const object = find(overlay, 'Deployment', name);
  const pod = podOf(object);
  const container = containerOf(object);
  const secrets = pod.volumes?.find(({ projected }) => projected)?.projected?.sources ?? [];

  it('is replaced without a gap, and never all at once', () => {
    expect(object.spec.strategy).toEqual({ rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
    const budget = find(overlay, 'PodDisruptionBudget', name);
    expect(budget.spec.maxUnavailable).toBe(1);
    expect(selects(budget.spec.selector, object.spec.template.metadata.labels)).toBe(true);
    const keys = pod.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey);
    expect(keys).toEqual(['topology.kubernetes.io/zone', 'kubernetes.io/hostname']);
  });

  it('has more time to stop than a graceful shutdown takes', () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(SHUTDOWN_MS / 1_000);
    const drain = container.env?.find(({ name }) => name === 'DRAIN_MS')?.value;
    // A worker takes its jobs itself, so nothing must learn first that it goes.
    expect(drain).toBe(name === 'label-worker' ? undefined : '6000');
    expect(container.lifecycle).toBe(undefined);
  });

  it('is scraped where it listens', () => {
    expect(object.spec.template.metadata.annotations).toMatchObject({
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': environmentOf(readTargets().get(name) ?? []).PORT,
    });
  });

  it('gets every setting that it needs, and only settings that it knows', () => {
    const given = Object.fromEntries((container.env ?? []).map(({ name, value = '' }) => [name, value]));
    const generated = (container.envFrom ?? []).flatMap(
      ({ configMapRef }) =>
        readKustomization('base').configMapGenerator?.find((each) => each.name === configMapRef.name)
          ?.literals ?? [],
    );
    const literals = generated.map((line) => line.split(/=(.*)/s).slice(0, 2));
    const env = { ...Object.fromEntries(literals), ...given };
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

/** Values that a service accepts. */
const WORKING: Readonly<Record<string, string>> = {
  INTERNAL_TOKEN: randomBytes(32).toString('hex'),
  JWT_SECRET: randomBytes(32).toString('hex'),
  MONGODB_URI: 'mongodb://mongo:27017/guias',
  REDIS_URL: 'redis://redis:6379',
  LABEL_CACHE_URL: 'redis://label-cache:6379',
};

it('gives Chromium a writable folder and shared memory', () => {
  const object = find('small', 'Deployment', 'label-worker');
  const volumes = new Map(podOf(object).volumes?.map((each) => [each.name, each.emptyDir]));
  const places = containerOf(object).volumeMounts?.map(
    ({ name, mountPath }) => [mountPath, volumes.get(name)] as const,
  );
  expect(Object.fromEntries(places ?? [])).toMatchObject({
    '/tmp': { sizeLimit: expect.any(String) },
    '/dev/shm': { medium: 'Memory', sizeLimit: expect.any(String) },
  });
});

describe('the network', () => {
  /** The rules of one direction that hold for the pods of a name. */
  const rules = (overlay: string, name: string, way: 'Ingress' | 'Egress'): Traffic[] => {
    const object = podsOf(overlay).find(({ metadata }) => metadata.name === name);
    if (!object) throw new Error(`${overlay} has no pod ${name}`);
    const { labels } = templateOf(object).metadata;
    const policies = objectsOf(overlay).filter(
      ({ kind, spec }) =>
        kind === 'NetworkPolicy' && spec.policyTypes.includes(way) && selects(spec.podSelector, labels),
    );
    expect(policies.length, `${name} is under no policy`).toBeGreaterThan(0);
    return policies.flatMap(({ spec }) => (way === 'Ingress' ? spec.ingress : spec.egress) ?? []);
  };
  const labelsOf = (name: string) => ({ 'app.kubernetes.io/name': name });
  // OpenShift's DNS listens on 5353.
  const dnsPorts = [53, 5353].flatMap((port) => [
    { protocol: 'UDP', port },
    { protocol: 'TCP', port },
  ]);
  const dnsNamespaces = {
    key: 'kubernetes.io/metadata.name',
    operator: 'In',
    values: ['kube-system', 'openshift-dns'],
  };
  const DNS = [
    { to: [{ namespaceSelector: { matchExpressions: [dnsNamespaces] } }], ports: dnsPorts },
    { to: [{ ipBlock: { cidr: '169.254.20.10/32' } }], ports: dnsPorts }, // NodeLocal DNSCache
  ];

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

  it('lets each service talk to those that the architecture names, and to no other', () => {
    const all = ['backup', ...SERVICES, 'label-cache', 'mongo', 'mongo-users', 'operator', 'redis'];
    const listening = [...SERVICES, 'label-cache', 'mongo', 'redis'].filter(
      (name) => name !== 'label-worker',
    ); // nobody calls it
    const pairs = all.flatMap((from) =>
      listening.filter((to) => to !== from && reaches(from, to)).map((to) => `${from} → ${to}`),
    );
    expect(pairs).toEqual([
      'backup → mongo',
      'api → branches',
      'api → webhooks',
      'api → label-cache',
      'api → mongo',
      'api → redis',
      'branches → mongo',
      'branches → redis',
      'dashboard → mongo',
      'dashboard → redis',
      'label-worker → label-cache',
      'label-worker → redis',
      'webhooks → mongo',
      'webhooks → redis',
      'mongo-users → mongo',
      'operator → mongo',
    ]);
  });

  it.each([
    ['small', ['redis', 'label-cache'].map((name) => ({ podSelector: { matchLabels: labelsOf(name) } }))],
    ['production', Array(2).fill({ ipBlock: { cidr: expect.any(String) } })],
  ])('%s: lets the label worker out to DNS and Redis alone', (overlay, stores) => {
    const redis = stores.map((store) => ({ to: [store], ports: [{ port: 6379 }] }));
    expect(rules(overlay, 'label-worker', 'Egress')).toEqual([...DNS, ...redis]);
  });

  describe('lets webhooks out', () => {
    /** Whether a policy lets a pod out to an address, DNS aside. */
    const leaves = (name: string, address: string, port: number) => {
      const parsed = ipaddr.parse(address);
      const isIn = (cidr: string) => {
        const [network, bits] = ipaddr.parseCIDR(cidr);
        return network.kind() === parsed.kind() && parsed.match([network, bits] as never);
      };
      return rules('small', name, 'Egress').some(
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
      ['8.8.8.8', 8443, true],
      ['8.8.8.8', 65_535, true],
      ['2606:4700::1', 443, true],
      ['8.8.8.8', 80, false],
      ['8.8.8.8', 25, false],
      ['8.8.8.8', 1_023, false],
      ['10.0.0.1', 443, false],
      ['172.31.0.1', 443, false],
      ['192.168.1.1', 443, false],
      ['100.64.0.1', 443, false],
      ['127.0.0.1', 3_000, false],
      ['169.254.169.254', 443, false],
      ['168.63.129.16', 443, false],
      ['192.0.0.192', 443, false],
      ['224.0.0.1', 443, false],
      ['255.255.255.255', 443, false],
      ['::1', 443, false],
      ['fd00:ec2::254', 443, false],
      ['fe80::1', 443, false],
      ['64:ff9b::a00:1', 443, false],
      ['2002:a00:1::', 443, false],
    ])('to %s at port %i: %s', (address, port, allowed) => {
      expect(leaves('webhooks', address, port)).toBe(allowed);
    });

    it('and nobody else', () => {
      const names = podsOf('small').map(({ metadata }) => metadata.name);
      expect(names.filter((name) => leaves(name, '8.8.8.8', 443))).toEqual(['webhooks']);
    });
  });

  it('lets each pod that calls another resolve names, and the stores call nobody', () => {
    const resolving = podsOf(WITH_ALL).filter(({ metadata }) =>
      DNS.every((rule) =>
        rules(WITH_ALL, metadata.name, 'Egress').some((each) => isDeepStrictEqual(each, rule)),
      ),
    );
    const names = podsOf(WITH_ALL).map(({ metadata }) => metadata.name);
    const stores = ['mongo', 'redis', 'label-cache'];
    expect(resolving.map(({ metadata }) => metadata.name)).toEqual(
      names.filter((name) => !stores.includes(name)),
    );
    for (const name of stores) expect(rules(WITH_ALL, name, 'Egress')).toEqual([]);
  });

  it.each(ours)('%s: lets Prometheus in to %s', (overlay, name) => {
    const monitoring = [{ namespaceSelector: { matchLabels: { 'guias/monitoring': 'true' } } }];
    expect(rules(overlay, name, 'Ingress')).toContainEqual({ from: monitoring, ports: [{ port: 'http' }] });
  });

  it.each(OVERLAYS)('%s: denies all that no policy allows', (overlay) => {
    const { podSelector, policyTypes } = find(overlay, 'NetworkPolicy', 'default-deny').spec;
    expect({ podSelector, policyTypes }).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });
});
