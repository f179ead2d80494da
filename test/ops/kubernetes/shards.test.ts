import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTemporaryFolder, repoRoot } from '#local/folders.ts';
import {
  type KubernetesObject,
  readObjects,
  readOverlay,
  selects,
  templateOf,
  workloads,
} from './kubernetes.ts';

/** k8s/sharded: the label workers of several shards, each a Deployment that follows its own load. */

const SHARDS = ['0', '1'];
const folder = join(repoRoot, 'k8s/sharded');
const objects = readOverlay('sharded');
const named = (kind: string, name: string) => {
  const found = objects.find((each) => each.kind === kind && each.metadata.name === name);
  if (!found) throw new Error(`There is no ${kind} ${name}`);
  return found;
};
const labelsOf = (object: KubernetesObject) => templateOf(object).metadata.labels;
const deployments = SHARDS.map((shard) => named('Deployment', `label-worker-${shard}`));

it('has workers, a budget and an autoscaler a shard, and none of an installation without shards', () => {
  const kinds = ['Deployment', 'PodDisruptionBudget', 'ScaledObject'];
  const names = kinds.map((kind) =>
    objects
      .filter((each) => each.kind === kind && each.metadata.name.startsWith('label-worker'))
      .map(({ metadata }) => metadata.name),
  );
  expect(names).toEqual(kinds.map(() => ['label-worker-0', 'label-worker-1']));
});

// Kubernetes neither scales nor evicts pods that two autoscalers or budgets select.
it('selects with each shard its own pods, and with each policy of label workers all', () => {
  for (const [i, { spec }] of deployments.entries()) {
    const found = deployments.filter((each) => selects(spec.selector, labelsOf(each)));
    expect(found).toEqual([deployments[i]]);
    const budget = named('PodDisruptionBudget', `label-worker-${i}`);
    expect(budget.spec.selector).toEqual(spec.selector);
  }
  const policies = objects.filter(
    ({ kind, spec }) =>
      kind === 'NetworkPolicy' && selects(spec.podSelector, { 'app.kubernetes.io/name': 'label-worker' }),
  );
  expect(policies.length).toBeGreaterThan(2);
  for (const { spec } of policies)
    for (const each of deployments) expect(selects(spec.podSelector, labelsOf(each))).toBe(true);
});

it('tells each worker its shard, and all who use the queues where they are', () => {
  for (const [i, each] of deployments.entries())
    expect(templateOf(each).spec.containers[0]?.env).toContainEqual({ name: 'SHARD', value: SHARDS[i] });
  const told = workloads(objects).filter((each) =>
    templateOf(each).spec.containers[0]?.env?.some(({ name }) => name === 'REDIS_URLS_FILE'),
  );
  expect(told.map(({ metadata }) => metadata.name)).toEqual([
    'api',
    'dashboard',
    'label-worker-0',
    'label-worker-1',
  ]);
  for (const each of told) {
    const sources = templateOf(each).spec.volumes?.[0]?.projected?.sources ?? [];
    const having = sources.filter(({ secret }) => secret.items.some(({ key }) => key === 'REDIS_URLS'));
    const service = each.metadata.name.replace(/-\d$/, '');
    expect(having.map(({ secret }) => secret.name)).toEqual([`guias-${service}`]);
  }
});

it.each(SHARDS)(
  'scales shard %s as production scales its workers, by what is asked of that shard',
  (shard) => {
    const whole = readObjects('production/scaling.yaml').find(({ kind }) => kind === 'ScaledObject');
    const text = JSON.stringify(whole?.spec)
      .replaceAll('namespace=\\"guias\\"', `namespace=\\"guias\\",shard=\\"${shard}\\"`)
      .replace('"name":"label-worker"', `"name":"label-worker-${shard}"`);
    expect(named('ScaledObject', `label-worker-${shard}`).spec).toEqual(JSON.parse(text));
  },
);

it('has one more shard by the command that it names', () => {
  const [, command = ''] =
    /^# {3}(cp .*)$/m.exec(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) ?? [];
  const copy = makeTemporaryFolder(join(repoRoot, '.local'));
  try {
    cpSync(folder, copy, { recursive: true });
    execFileSync('sh', ['-c', command], { cwd: copy });
    for (const file of readdirSync(join(folder, 'shard-1'))) {
      const [first, second] = ['1', '2'].map((shard) =>
        readFileSync(join(copy, `shard-${shard}`, file), 'utf8'),
      );
      expect(second).toBe(
        first?.replaceAll(/(?<=shard |shard="|worker-|Suffix: '-|shard: '|value: ')1\b/g, '2'),
      );
    }
  } finally {
    rmSync(copy, { recursive: true });
  }
});
