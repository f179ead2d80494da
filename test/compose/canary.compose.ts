import { expect } from 'vitest';
import type { CanaryReport } from '#shared/canary/report.ts';
import { GOOD_ROUND_MAX_AGE_MS } from '#shared/canary/report.ts';
import type { ComposeProject } from './compose-project.ts';
import { test } from './project.ts';

/** The canary of docker-compose.yml: what it tries, what it reaches, and its key. */

/** Longest time until there is a good round by each way, in ms; a refused key is tried again after two minutes. */
const GOOD_BY = { timeout: 200_000, interval: 1_000 };

/** An error of a name that is not in the networks of a container: Docker asks the DNS of the machine, which may not answer. */
const UNKNOWN = expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/);

/** Prints what this container gets, within two seconds: the answer, or the code of the error. */
const fetchIn = (project: ComposeProject, service: string, url: string) =>
  project.compose(
    ...['exec', '-T', service, 'node', '-e'],
    `fetch(${JSON.stringify(url)}, { signal: AbortSignal.timeout(2_000) }).then(
      async (answer) => console.log(await answer.text()),
      ({ message, cause }) => console.log(cause?.code ?? message))`,
  );

async function reportOf(project: ComposeProject): Promise<CanaryReport> {
  return JSON.parse(await fetchIn(project, 'canary', 'http://127.0.0.1:3006/health/rounds'));
}

/** Returns each way with what its last round found: `good`, or why not. */
async function waysOf(project: ComposeProject): Promise<string[]> {
  const { ways } = await reportOf(project);
  return ways.map(({ way, goodAgoMs = Number.POSITIVE_INFINITY, fault }) => {
    if (fault) return `${way}: ${fault.step} ${fault.answer}`;
    return `${way}: ${goodAgoMs < GOOD_ROUND_MAX_AGE_MS ? 'good' : 'none yet'}`;
  });
}

test('a round is good by the address of customers and by each api container', async ({ project, url }) => {
  expect(url).toBeTruthy();
  await expect.poll(() => waysOf(project), GOOD_BY).toEqual(['customers: good', 'process: good']);

  const second = await project.compose('run', '--detach', '--no-deps', '--use-aliases', 'api');
  const three = ['customers: good', 'process: good', 'process: good'];
  await expect.poll(() => waysOf(project), GOOD_BY).toEqual(three);
  const hosts = (await reportOf(project)).ways.map(({ host }) => host);
  expect(new Set(hosts).size).toBe(3);

  // What is gone is no fault.
  await project.docker('rm', '--force', second.split('\n').at(-1) ?? '');
  await expect.poll(() => waysOf(project), GOOD_BY).toEqual(['customers: good', 'process: good']);
  expect((await reportOf(project)).checks).toEqual([]);
});

test('dashboard and webhooks reach it, no other service does, and it reaches neither stores nor what stands behind the api', async ({
  project,
  url,
}) => {
  expect(url).toBeTruthy();
  const live = 'http://canary:3006/health/live';
  for (const service of ['dashboard', 'webhooks'])
    expect([service, await fetchIn(project, service, live)]).toEqual([
      service,
      expect.stringContaining('"ok"'),
    ]);
  for (const service of ['branches', 'label-worker'])
    expect([service, await fetchIn(project, service, live)]).toEqual([service, UNKNOWN]);
  for (const host of ['mongo:27017', 'redis:6379', 'label-cache:6379', 'branches:3001', 'label-worker:3002'])
    expect([host, await fetchIn(project, 'canary', `http://${host}`)]).toEqual([host, UNKNOWN]);
});

test('after its key was renewed, the former one ends, and the canary goes on with the new one', async ({
  project,
  url,
}) => {
  const former = await project.secret('canary/key');
  const statusOf = async (key: string) =>
    (await fetch(`${url}/api/sucursales`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect(await statusOf(former)).toBe(200);

  const program = ['node', 'local/compose/secrets.ts', '/secrets'];
  await project.compose('run', '--rm', '-T', 'secrets', ...program, 'rotate', 'canary');
  await project.compose('run', '--rm', '-T', 'canary-account');
  await expect.poll(() => statusOf(former), { timeout: 30_000, interval: 1_000 }).toBe(401);
  expect(await statusOf(await project.secret('canary/key'))).toBe(200);
  const ended = performance.now();
  await expect
    .poll(async () => {
      const { key, ways } = await reportOf(project);
      const goodSince = ways.every(
        ({ goodAgoMs = Number.POSITIVE_INFINITY }) => goodAgoMs < performance.now() - ended,
      );
      return { key, goodSince };
    }, GOOD_BY)
    .toEqual({ key: 'ok', goodSince: true });
});

test('where its account cannot be made, all else starts, and `up` says so', async ({
  project,
  url,
  ports,
}) => {
  expect(url).toBeTruthy();
  const node = ['--entrypoint', 'node', 'admin', '--input-type=module', '--eval'];
  await project.compose('run', '--rm', '--no-deps', '-T', ...node, OF_A_CUSTOMER);
  await project.compose('down');

  await expect(project.compose('up', '--wait', '--detach', '--no-build')).rejects.toThrow('canary-account');
  expect(await project.compose('logs', '--no-log-prefix', 'canary-account')).toContain(
    'La cuenta guardia-cliente tiene un usuario que no es del cliente de prueba (canary): guardia-cliente',
  );
  await expect
    .poll(async () => (await fetch(`http://127.0.0.1:${ports.API_PORT}/health/ready`)).status)
    .toBe(200);
});

/** Makes the canary's user one that an operator made, as far as MongoDB knows. */
const OF_A_CUSTOMER = `
  import { readFileSync } from 'node:fs';
  import { mongo } from 'mongoose';
  const client = new mongo.MongoClient(readFileSync(process.env.MONGODB_URI_FILE, 'utf8'));
  await client.db().collection('users').updateOne({ _id: 'guardia-cliente' }, { $unset: { canaryOf: 1 } });
  await client.close();`;
