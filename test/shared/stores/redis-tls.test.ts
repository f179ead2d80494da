import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';
import { makeCertificates } from '#test/fixtures/tls/certificates.ts';

/** Servers with TLS alone, which name each other by the name of their certificate (k8s/operations.md "Redis that fails over"). */
const test = folderTest
  .extend('certificates', { scope: 'file' }, ({ folder }) => makeCertificates(folder))
  .extend('start', { scope: 'file' }, ({ folder, certificates }) => {
    const { cert, key, ca } = certificates;
    const tls = `--tls-cert-file ${cert} --tls-key-file ${key} --tls-ca-cert-file ${ca} --tls-auth-clients no --port 0`;
    return async (name: string, settings: string) => {
      const port = await freePort();
      const words = `${settings} ${tls} --tls-port ${port} --dbfilename ${name}.rdb`.split(' ');
      const logFile = join(folder, `${name}.log`);
      const server = startProcess({ name, command: ['redis-server', ...words], logFile, cwd: folder });
      const options = { tls: { ca: readFileSync(ca) }, retryStrategy: () => 50, maxRetriesPerRequest: null };
      const redis = new Redis(port, 'localhost', options);
      redis.on('error', () => {}); // until the server listens
      onTestFinished(async () => {
        redis.disconnect();
        await server.stop();
      });
      await redis.ping();
      return { port, redis };
    };
  });

/** Opens a client in a process that trusts the authority, and returns what it read. */
function readThrough(url: string, ca: string): string {
  const client = `
    const { createRedisClient } = await import('#shared/stores/redis-client.ts');
    const redis = createRedisClient('${url}', 'waits');
    redis.on('error', () => {});
    await redis.set('{t}:key', 'read through TLS');
    console.log(await redis.get('{t}:key'));
    redis.disconnect();`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', client], {
    cwd: repoRoot,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
    encoding: 'utf8',
    timeout: 20_000,
  }).trim();
}

test('sentinels and their primary are spoken to by TLS', async ({ start, certificates, folder }) => {
  const primary = await start('primary', '--tls-replication yes');
  const file = join(folder, 'sentinel.conf');
  const names = 'sentinel resolve-hostnames yes\nsentinel announce-hostnames yes\n';
  writeFileSync(file, `${names}sentinel monitor guias localhost ${primary.port} 1\n`);
  const sentinel = await start('sentinel', `${file} --sentinel --tls-replication yes`);
  const url = `rediss+sentinel://localhost:${sentinel.port}/guias`;
  expect(readThrough(url, certificates.ca)).toBe('read through TLS');
});
