import { expect, inject, test } from 'vitest';
import { type CanaryReport, GOOD_ROUND_MAX_AGE_MS } from '#shared/canary/report.ts';
import { Load } from '#test/faults/clients/load.ts';
import { expectRight } from '#test/faults/clients/load-outcome.ts';
import { Kubectl } from './kubectl.ts';

/** The canary of k8s/small: what it tries and reaches, and what it is for while the api is replaced. */

const kubectl = new Kubectl('guias');
/** Longest time until there is a good round by each way; a refused key is tried again after two minutes. */
const GOOD_BY = { timeout: 240_000, interval: 1_000 };

/** Prints what a pod gets, within two seconds: the answer, or the code of the error. */
const fetchIn = (pod: string, url: string) =>
  kubectl.run(
    ...['exec', pod, '--', 'node', '-e'],
    `fetch(${JSON.stringify(url)}, { signal: AbortSignal.timeout(2_000) }).then(
      async (answer) => console.log(answer.status, await answer.text()),
      ({ message, cause }) => console.log(cause?.code ?? message))`,
  );

async function waysOf(): Promise<string[]> {
  const answer = await fetchIn('deployment/canary', 'http://127.0.0.1:3006/health/rounds');
  const { ways }: CanaryReport = JSON.parse(answer.replace('200 ', ''));
  return ways.map(({ way, goodAgoMs = Number.POSITIVE_INFINITY, fault }) => {
    if (fault) return `${way}: ${fault.step} ${fault.answer}`;
    return `${way}: ${goodAgoMs < GOOD_ROUND_MAX_AGE_MS ? 'good' : 'none yet'}`;
  });
}

const GOOD = ['customers: good', 'process: good', 'process: good'];

test('a round is good by the address of customers and by each pod of the api', async () => {
  await expect.poll(waysOf, GOOD_BY).toEqual(GOOD);
});

/** Tells whether a TCP connection is made, within two seconds. */
async function connects(from: string, host: string, port: number): Promise<boolean> {
  const script = `const socket = require('node:net').connect(${port}, '${host}');
    const say = (text) => { console.log(text); process.exit(); };
    socket.on('connect', () => say('connected')).on('error', () => say('refused'));
    setTimeout(() => say('silence'), 2_000);`;
  return (await kubectl.run('exec', from, '--', 'node', '-e', script)) === 'connected';
}

const STORES: [string, number][] = [
  ['mongo', 27017],
  ['redis', 6379],
  ['label-cache', 6379],
];
const SERVICES: [string, number][] = [
  ['api', 3000],
  ['branches', 3001],
  ['dashboard', 3003],
  ['webhooks', 3004],
  ['canary', 3006],
];

test('it reaches the api alone, and dashboard and webhooks alone reach it', async ({ skip }) => {
  // A cluster that does not enforce policies lets the label worker reach MongoDB.
  if (await connects('deployment/label-worker', 'mongo', 27017)) skip('no policy is enforced here');
  const reached = [];
  for (const [host, port] of [...STORES, ...SERVICES])
    if (host !== 'canary' && (await connects('deployment/canary', host, port))) reached.push(host);
  expect(reached).toEqual(['api']);

  const reaching = [];
  for (const name of ['api', 'branches', 'dashboard', 'label-worker', 'webhooks'])
    if (await connects(`deployment/${name}`, 'canary', 3006)) reaching.push(name);
  expect(reaching).toEqual(['dashboard', 'webhooks']);
});

test('a rollout stops at an api that cannot create guides, and customers notice nothing', async () => {
  await expect.poll(waysOf, GOOD_BY).toEqual(GOOD);
  const before = (await kubectl.pods('api')).map(({ metadata }) => metadata.name);
  const load = await Load.start(inject('url'), { customers: 4, token: inject('token') });
  await load.waitForStatus('label', 200, 20);

  // Nothing answers there, and such an api starts.
  await kubectl.run('set', 'env', 'deployment/api', 'BRANCHES_URL=http://127.0.0.1:1');
  const newPod = async () => {
    const pods = await kubectl.pods('api');
    return pods.find(({ metadata }) => !before.includes(metadata.name))?.metadata.name ?? '';
  };
  await expect.poll(newPod).not.toBe('');
  const bad = await newPod();
  const health = () => fetchIn(bad, 'http://127.0.0.1:3000/health/ready').catch(String);
  await expect.poll(health).toMatch(/^503 .*"self-test":"[^"]+"/);
  // Longer than any probe takes to change its mind.
  const ready = kubectl.run('wait', '--for=condition=Ready', `pod/${bad}`, '--timeout=30s');
  await expect(ready).rejects.toThrow('timed out');
  expect(await health()).toMatch(/^503 /);
  const pods = await kubectl.pods('api');
  const serving = pods.filter(({ status }) => status.containerStatuses?.every((each) => each.ready));
  expect(serving.map(({ metadata }) => metadata.name).toSorted()).toEqual(before.toSorted());
  await expect(kubectl.run('rollout', 'status', 'deployment/api', '--timeout=1s')).rejects.toThrow(
    'timed out',
  );

  await kubectl.run('rollout', 'undo', 'deployment/api');
  await kubectl.rolledOut('deployment', 'api');
  await load.stop();
  expectRight(load, [200, 400]);
});
