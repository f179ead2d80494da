import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { newKey } from '#services/api/keys/key.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { type AnyObject, customResourceDefinitions } from './custom-resources.ts';
import { Kubectl } from './kubectl.ts';
import { writeOverlay } from './overlay.ts';
import { apiUrl, USER } from './small.ts';

/**
 * k8s/production in a namespace of its own, with the Redis and MongoDB of k8s/small in place of managed ones. It scales by
 * KEDA, which is not there: its objects are taken, and nothing acts on them.
 */

const NAMESPACE = 'guias-production';
const small = new Kubectl('guias');
const kubectl = new Kubectl(NAMESPACE);

/** Requests that fit beside k8s/small on the smallest node; the real ones are what a managed cluster is for. */
const FITTING = {
  target: { kind: 'Deployment' },
  patch: JSON.stringify([
    { op: 'replace', path: '/spec/template/spec/containers/0/resources/requests/cpu', value: '10m' },
  ]),
};
const STORES: Record<string, number> = { redis: 6379, 'label-cache': 6379, mongo: 27017 };
const selector = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } });
const inNamespace = (name: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });

/** Lets the pods of production reach the stores, in place of the addresses of managed ones in stores.yaml. */
const policies = Object.entries(STORES).map(([name, port]) => ({
  target: { kind: 'NetworkPolicy', name: `to-${name}` },
  patch: JSON.stringify([
    {
      op: 'replace',
      path: '/spec/egress',
      value: [
        { to: [{ namespaceSelector: inNamespace('guias'), podSelector: selector(name) }], ports: [{ port }] },
      ],
    },
  ]),
}));
/** And the stores be reached. */
const admissions = Object.entries(STORES).map(([name, port]) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: `${name}-from-production` },
  spec: {
    podSelector: selector(name),
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ namespaceSelector: inNamespace(NAMESPACE) }], ports: [{ port }] }],
  },
}));

/** Definitions that the cluster did not have. */
const made: string[] = [];

beforeAll(async () => {
  await kubectl.run('create', 'namespace', NAMESPACE);
  await copySecrets();
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: admissions });
  await small.pipe(list, 'apply', '--server-side', '-f', '-');
});
afterAll(async () => {
  await kubectl.run('delete', 'namespace', NAMESPACE, '--wait=false');
  if (made.length > 0) await kubectl.run('delete', '--wait=false', ...made);
});

/**
 * Copies the secrets of k8s/small, with the addresses of its stores as another namespace sees them. The canary of another cell has
 * a key of its own.
 */
async function copySecrets(): Promise<void> {
  type Secret = { metadata: { name: string }; data: Record<string, string> };
  const { items } = await small.json<{ items: Secret[] }>('get', 'secrets');
  const copies = items.map(({ metadata: { name }, data }) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64')
          .toString()
          .replace(/@(redis|label-cache|mongo):/g, '@$1.guias:'),
      ]),
    ),
  }));
  const canary = copies.find(({ metadata }) => metadata.name === 'guias-canary');
  Object.assign(canary?.stringData ?? {}, { CANARY_KEY: newKey(true) });
  await kubectl.pipe(
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: copies }),
    'apply',
    '--server-side',
    '-f',
    '-',
  );
}

test('is applied as a whole, becomes ready and prints', async () => {
  const folder = writeOverlay('production', { namespace: NAMESPACE, patches: [FITTING, ...policies] });
  const rendered = await kubectl.run('kustomize', folder);
  const objects = parseAllDocuments(rendered).map((document) => document.toJS() as AnyObject);
  const there = (await kubectl.run('get', 'customresourcedefinitions', '--output', 'name')).split('\n');
  for (const definition of customResourceDefinitions(objects)) {
    const name = `customresourcedefinition.apiextensions.k8s.io/${definition.metadata.name}`;
    if (there.includes(name)) continue;
    await kubectl.pipe(JSON.stringify(definition), 'create', '-f', '-');
    made.push(name);
  }
  await kubectl.run('wait', '--for=condition=Established', 'customresourcedefinitions', '--all');
  writeFileSync(join(folder, 'rendered.yaml'), rendered);
  await kubectl.run('apply', '--server-side', '-f', join(folder, 'rendered.yaml'));
  for (const name of ['api', 'branches', 'canary', 'dashboard', 'label-worker', 'webhooks'])
    await kubectl.rolledOut('deployment', name);
  await kubectl.run('wait', '--for=condition=Complete', 'job/canary-account', '--timeout=240s');
  expect(await kubectl.run('get', 'scaledobjects', '--output', 'name')).toBe(
    'scaledobject.keda.sh/label-worker',
  );

  const customer = await Client.login(await apiUrl(kubectl), USER.name, USER.password);
  const [guide] = await customer.created(minimalGuide());
  const { status, bytes } = await customer.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  expect([status, status === 200 || bytes.toString()]).toEqual([200, true]);
  expect((await readLabel(bytes)).flatMap(({ code128 }) => code128)).toEqual([guide?.SEND_GUIA]);
});

test('two pods of the api run, the least that its autoscaler allows', async () => {
  await expect.poll(async () => (await kubectl.pods('api')).length).toBe(2);
});
