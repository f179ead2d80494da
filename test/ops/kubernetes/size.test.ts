import { describe, expect, it } from 'vitest';
import { type KubernetesObject, readObjects, readOverlay, templateOf, workloads } from './kubernetes.ts';

/** What a cluster must have for an overlay: the requests, which the scheduler counts. */

const MILLICORES: Readonly<Record<string, number>> = { m: 1, '': 1_000 };
const MIB: Readonly<Record<string, number>> = { Mi: 1, Gi: 1_024 };

function quantity(text: string, units: Readonly<Record<string, number>>): number {
  const [, number, unit = ''] = /^([\d.]+)([a-zA-Z]*)$/.exec(text) ?? [];
  const factor = units[unit];
  if (factor === undefined) throw new Error(`${text} is not understood here`);
  return Number(number) * factor;
}

/** What all pods request at once, with as many of each as `copies` says. */
function requests(objects: KubernetesObject[], copies: (object: KubernetesObject) => number) {
  const sum = { cpu: 0, memory: 0 };
  for (const object of workloads(objects)) {
    for (const { resources } of templateOf(object).spec.containers) {
      sum.cpu += copies(object) * quantity(resources?.requests.cpu ?? '', MILLICORES);
      sum.memory += copies(object) * quantity(resources?.requests.memory ?? '', MIB);
    }
  }
  return sum;
}

/** One pod more of each Deployment: all of them are being replaced. The operators' pod runs as well. */
const replaced = ({ kind, spec }: KubernetesObject) => (spec.replicas ?? 1) + (kind === 'Deployment' ? 1 : 0);

describe('small', () => {
  it('fits a node with two cores beside the cluster itself, while every pod is being replaced', () => {
    const withBackup = readOverlay('components/backup', readOverlay('small'));
    expect(requests(withBackup, replaced)).toEqual({ cpu: 1_570, memory: 5_952 });
  });

  it('has two pods of what answers customers', () => {
    const copies = readOverlay('small').filter(({ spec }) => (spec?.replicas ?? 0) > 1);
    expect(copies.map(({ metadata, spec }) => [metadata.name, spec.replicas])).toEqual([
      ['api', 2],
      ['branches', 2],
    ]);
  });
});

describe('production', () => {
  const scaled = new Map(
    readObjects('production/scaling.yaml').map(({ spec }) => [
      spec.scaleTargetRef.name,
      spec.minReplicas ?? spec.minReplicaCount ?? 0,
    ]),
  );
  const least = ({ metadata, spec }: KubernetesObject) => scaled.get(metadata.name) ?? spec.replicas ?? 1;

  it('requests what its kustomization says, at the least and while every pod is being replaced', () => {
    const objects = readOverlay('production');
    expect(requests(objects, least)).toEqual({ cpu: 3_450, memory: 3_456 });
    const most = (object: KubernetesObject) => least(object) + 1;
    expect(requests(objects, most)).toEqual({ cpu: 5_220, memory: 5_376 });
  });
});

it.each(['small', 'production'])('%s: stores stay longest, then what answers customers', (overlay) => {
  const classes = new Map(
    readOverlay(overlay)
      .filter(({ kind }) => kind === 'PriorityClass')
      .map(({ metadata, value }) => [metadata.name, value]),
  );
  const pods = workloads(readOverlay(overlay)).map(({ metadata, ...object }) => {
    const { priorityClassName: name } = templateOf({ metadata, ...object }).spec;
    return [metadata.name, name === undefined ? 0 : classes.get(name)];
  });
  expect(Object.fromEntries(pods)).toEqual({
    ...(overlay === 'small' && { mongo: 2_000, redis: 2_000, 'label-cache': 2_000, 'mongo-users': 0 }),
    api: 1_000,
    branches: 1_000,
    dashboard: 0,
    'label-worker': 0,
    operator: 0,
    webhooks: 0,
  });
});
