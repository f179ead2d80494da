import { expect, inject, test } from 'vitest';
import { Client } from '#test/fixtures/client.ts';
import { expectGuidesAndLabels } from '#test/fixtures/labels/expect-labels.ts';
import { expectSandbox, SANDBOX_SCRIPT } from '#test/fixtures/sandbox.ts';
import { Kubectl } from './kubectl.ts';
import { USER } from './small.ts';

/** k8s/small, as customers and its pods see it. */

const kubectl = new Kubectl('guias');
const url = inject('url');
/** The longest start from nothing, in seconds; on two cores that others use too. */
const START_S = 240;

test('in a namespace that enforces the Pod Security Standard "restricted", services and stores start at once', () => {
  process.stdout.write(`Every pod is ready after ${inject('startSeconds').toFixed(0)} s\n`);
  expect(inject('startSeconds')).toBeLessThan(START_S);
});

test('services wait for their stores: no container was started twice', async () => {
  const restarted = (await kubectl.pods()).flatMap(({ status }) =>
    (status.containerStatuses ?? []).filter(({ restartCount }) => restartCount > 0),
  );
  expect(restarted.map(({ name, restartCount }) => `${name}: ${restartCount}`)).toEqual([]);
});

test('login, guides and both labels, whose codes a reader decodes', async () => {
  await expectGuidesAndLabels(await Client.login(url, USER.name, USER.password));
});

test("prints with Chromium's sandbox under the profile of chromium-seccomp.json", async () => {
  expectSandbox(await kubectl.run('exec', 'deployment/label-worker', '--', 'sh', '-c', SANDBOX_SCRIPT));
});

test('every pod finds room by its requests', async () => {
  type Node = { status: { allocatable: { cpu: string } } };
  const { items } = await kubectl.json<{ items: Node[] }>('get', 'nodes');
  const described = await kubectl.run('describe', 'nodes');
  const [requested] = /^ {2}cpu +\d+m.*$/m.exec(described) ?? [];
  process.stdout.write(
    `Requests of all pods: ${requested?.trim()}, of ${items[0]?.status.allocatable.cpu} cores\n`,
  );
  expect((await kubectl.pods()).filter(({ status }) => status.phase === 'Pending')).toEqual([]);
});
