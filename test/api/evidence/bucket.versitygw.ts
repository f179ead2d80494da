import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { expect, vi } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { Bucket } from '#services/api/evidence/bucket.ts';
import { IsPublic, RefusesUs } from '#shared/stores/dependencies.ts';
import { Client } from '#test/fixtures/client.ts';
import { test as evidence, listedOf, outcomeOf, pathOf, put, storedOf } from './fixture.ts';

/** Pictures in a bucket of a real S3-compatible server: `test/vitest.config.ts` runs this where versitygw is. */

const SECRET = 'a/secret+with=signs';

const test = evidence.extend('server', { scope: 'file' }, async ({}, { onCleanup }) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucket-'));
  mkdirSync(join(folder, 'evidencia'));
  const port = await freePort();
  const access = ['--access', 'KEY', '--secret', SECRET, '--region', 'mx-central-1'];
  const server = spawn('versitygw', ['--port', `127.0.0.1:${port}`, ...access, 'posix', folder], {
    stdio: 'ignore',
  });
  onCleanup(async () => {
    server.kill();
    await once(server, 'exit');
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}/evidencia`;
  await vi.waitUntil(() => fetch(url).catch(() => undefined), { timeout: 20_000 });
  const addressWith = (secret: string, bucket = url) =>
    `${bucket.replace('//', `//KEY:${encodeURIComponent(secret)}@`)}?region=mx-central-1`;
  const owner = new AwsClient({
    accessKeyId: 'KEY',
    secretAccessKey: SECRET,
    service: 's3',
    region: 'mx-central-1',
  });
  return { url, owner, addressWith, address: addressWith(SECRET) };
});

test('pictures are stored, read and listed', async ({
  delivered,
  demo,
  scanner,
  server,
  startApi,
  stores,
}) => {
  const { url } = await startApi({ EVIDENCE_BUCKET: server.address });
  const guide = await delivered();
  const answer = await put(new Client(url, scanner.token), pathOf(guide, 'e1', 'firma'));
  expect(outcomeOf(answer)).toEqual([200, 'Evidencia guardada']);
  const { evidence, pictures } = await storedOf(stores.mongo, guide);
  expect([evidence[0]?.store, pictures]).toEqual(['bucket', 0]);
  const reader = new Client(url, demo.token);
  expect(listedOf(await reader.get(`/api/guias/${guide}/evidencia`))).toHaveLength(1);
  const { status, bytes } = await reader.pdf(`/api/guias/${guide}/evidencia/e1/firma`);
  expect([status, bytes.length]).toEqual([200, evidence[0]?.bytes]);
});

test('a key is stored, read, overwritten, and deleted twice', async ({ server }) => {
  const bucket = new Bucket(server.address);
  await bucket.check();
  const { signal } = new AbortController();
  expect(await bucket.get('a', signal)).toBe(undefined);
  for (const text of ['one', 'another']) {
    await bucket.put('a', Buffer.from(text), signal);
    expect(Buffer.from((await bucket.get('a', signal)) ?? []).toString()).toBe(text);
  }
  await bucket.delete('a', signal);
  await bucket.delete('a', signal);
  expect(await bucket.get('a', signal)).toBe(undefined);
});

test('wrong credentials, and a bucket that is not there, are found', async ({ server }) => {
  await expect(new Bucket(server.addressWith('wrong')).check()).rejects.toBeInstanceOf(RefusesUs);
  const missing = new Bucket(server.addressWith(SECRET, server.url.replace('evidencia', 'missing')));
  await expect(missing.check()).rejects.toThrow('answers PUT with 404');
});

test.for([
  ['read', 's3:GetObject', 'arn:aws:s3:::evidencia/*'],
  ['list', 's3:ListBucket', 'arn:aws:s3:::evidencia'],
] as const)(
  'a bucket that anybody can %s is found',
  async ([_, Action, Resource], { server: { url, owner, address } }) => {
    const policy = {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: '*', Action, Resource }],
    };
    const set = await owner.fetch(`${url}?policy`, { method: 'PUT', body: JSON.stringify(policy) });
    expect([set.status, await set.text()]).toEqual([expect.toSatisfy((code: number) => code < 300), '']);
    await expect(new Bucket(address).check()).rejects.toBeInstanceOf(IsPublic);
    await owner.fetch(`${url}?policy`, { method: 'DELETE' });
    await new Bucket(address).check();
  },
);
