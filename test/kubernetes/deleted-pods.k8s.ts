import { expect, inject, test } from 'vitest';
import { ApiClient } from '#test/bench/load/api-client.ts';
import { Load } from '#test/faults/clients/load.ts';
import { describeOutcome, expectKept, expectRight } from '#test/faults/clients/load-outcome.ts';
import { Kubectl } from './kubectl.ts';

/**
 * A pod of each kind is deleted under load. Kubernetes makes another; customers get 200 or a 503 that says when to try
 * again, and nothing that was acknowledged is lost.
 */

const kubectl = new Kubectl('guias');
const url = inject('url');
/** Answers that are right at any time; 400 is the one to a postal code without coverage. */
const ALWAYS: unknown[] = [200, 400, 503];
/** While the only label worker is away, a label may fail. */
const ALSO: Record<string, unknown[]> = { 'label-worker': [500] };

test.for([
  ['deployment', 'api'],
  ['deployment', 'branches'],
  ['deployment', 'dashboard'],
  ['deployment', 'label-worker'],
  ['deployment', 'webhooks'],
  ['statefulset', 'redis'],
  ['statefulset', 'mongo'],
] as const)('a pod of the %s %s is deleted, and everything goes on', async ([kind, name]) => {
  const [pod] = await kubectl.pods(name);
  if (!pod) throw new Error(`${name} has no pod`);
  const load = await Load.start(url, { customers: 4, token: inject('token') });
  await load.waitForStatus('label', 200, 20);
  const deleted = performance.now();
  await kubectl.run('delete', 'pod', pod.metadata.name, '--wait=false');
  // A StatefulSet's next pod has the same name.
  const ids = async () => (await kubectl.pods(name)).map(({ metadata }) => metadata.uid);
  await expect.poll(ids).not.toContain(pod.metadata.uid);
  await kubectl.rolledOut(kind, name);
  await load.waitForStatus('create', 200, 20);
  await load.waitForStatus('label', 200, 20);
  await load.stop();

  process.stdout.write(`A pod of ${name} deleted: ${describeOutcome(load, deleted)}\n`);
  expectRight(load, [...ALWAYS, ...(ALSO[name] ?? [])]);
  await expectKept(new ApiClient(url, inject('token')), load);
  const restarts = (await kubectl.pods()).flatMap(({ status }) => status.containerStatuses ?? []);
  expect(restarts.filter(({ restartCount }) => restartCount > 0)).toEqual([]);
});
