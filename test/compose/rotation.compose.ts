import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { test } from './project.ts';

/** Rotation of all passwords (k8s/operations.md, "Rotation") while a customer creates guides and prints their labels. */

/** Longest time in which the one api of Compose may refuse requests, in seconds: it restarts once. */
const LONGEST_GAP_S = 30;

test('all passwords are new, the former ones end, and requests are refused only while the api restarts', async ({
  project,
  url,
}) => {
  const former = {
    mongo: await project.secret('api/mongodb'),
    admin: await project.secret('mongo/password'),
    redis: new URL(await project.secret('api/redis')).password,
    operator: await project.secret('redis-cli/password'),
    grafana: await project.secret('grafana/password'),
  };
  const demo = await Client.login(url);

  const ended = new AbortController();
  const customer = work(demo, ended.signal);
  const rotated = project.script('local/compose/rotate-passwords.sh');
  await rotated.finally(() => ended.abort());
  const { done, failures } = await customer;
  expect(done).toBeGreaterThan(10);
  // For k8s/operations.md.
  const causes = [...new Set(failures.map(({ what }) => what))];
  const [first, last] = [failures.at(0)?.at ?? 0, failures.at(-1)?.at ?? 0];
  const gap = (last - first) / 1_000;
  process.stdout.write(`${done} guides and labels, none for ${gap} s: ${causes.join('; ')}\n`);
  expect(gap).toBeLessThan(LONGEST_GAP_S);

  // The token is still valid.
  const [guide] = await demo.created(minimalGuide());
  expect((await demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`)).status).toBe(200);

  expect(await project.secret('grafana/password')).not.toBe(former.grafana);
  expect(await project.secret('api/mongodb')).toMatch(/^mongodb:\/\/api-2:/);
  const connect = (uri: string) =>
    project.compose(
      ...['run', '--rm', '--no-deps', '-T', '--env', `URI=${uri}`, '--entrypoint', 'node', 'admin'],
      ...['--input-type=module', '--eval', CONNECT],
    );
  expect(await connect(await project.secret('api/mongodb'))).toContain('ok');
  const ofAdmin = (password: string) => `mongodb://guias:${password}@mongo:27017/guias?authSource=admin`;
  expect(await connect(ofAdmin(await project.secret('mongo/password')))).toContain('ok');
  expect(await connect(former.mongo)).toContain('18');
  expect(await connect(ofAdmin(former.admin))).toContain('18');
  for (const server of ['redis', 'label-cache']) {
    const login = (user: string, password: string) =>
      project.compose('run', '--rm', '--no-deps', '-T', 'redis-cli', '-h', server, 'AUTH', user, password);
    expect(await login('api', new URL(await project.secret('api/redis')).password)).toBe('OK');
    expect(await login('operator', await project.secret('redis-cli/password'))).toBe('OK');
    expect(await login('api', former.redis)).toContain('WRONGPASS');
    expect(await login('operator', former.operator)).toContain('WRONGPASS');
  }
});

test('a second rotation takes the first names again', async ({ project, url }) => {
  await project.script('local/compose/rotate-passwords.sh');
  const api = await project.compose(
    'run',
    '--rm',
    '--no-deps',
    '-T',
    'secrets',
    'cat',
    '/secrets/api/mongodb',
  );
  expect(api).toMatch(/^mongodb:\/\/api:/);
  expect((await Client.login(url)).token).toBeTruthy();
});

/** Prints `ok`, or MongoDB's code: 18 is a failed authentication. */
const CONNECT = `
  import { mongo } from 'mongoose';
  const client = new mongo.MongoClient(process.env.URI);
  await client.connect().then(() => console.log('ok'), (error) => console.log(error.code));
  await client.close();`;

type Failure = { at: number; what: string };

/** Creates guides and prints their labels, one after the other. @returns how many, and what was refused, at ms. */
async function work(client: Client, signal: AbortSignal): Promise<{ done: number; failures: Failure[] }> {
  const failures: Failure[] = [];
  let done = 0;
  while (!signal.aborted) {
    try {
      const { status, body } = await client.create([minimalGuide()]);
      if (!body.data) throw new Error(`crear: ${status} ${body.message}`);
      const [guide] = body.data as CreatedGuide[];
      const label = await client.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
      if (label.status !== 200) throw new Error(`etiqueta: ${label.status} ${label.bytes}`);
      done += 1;
    } catch (error) {
      failures.push({ at: Math.round(performance.now()), what: String(error).slice(0, 120) });
      await sleep(100);
    }
  }
  return { done, failures };
}
