import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import type { TestProject } from 'vitest/node';
import { repoRoot } from '#local/folders.ts';
import { documentDbIsReady } from '#local/mongo/documentdb-root.ts';
import { freePort, isFreePort } from '#local/process/free-port.ts';
import setup from '#test/fixtures/global-setup.ts';

/** What becomes of a test run whose servers end, of the servers when a run is cut, and of its ports beside another run. */

/** Of this user alone, without a Docker Engine or servers of others. */
const OWN = { TEST_SERVERS: 'local', MONGODB_URI: '', REDIS_URL: '', LABEL_CACHE_URL: '' };

test('a run whose server ends says which one, begins no other test, and fails', async ({
  onTestFinished,
}) => {
  const before = Object.keys(OWN).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, OWN);
  onTestFinished(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  const provided: Record<string, string> = {};
  const cancelled = Promise.withResolvers<string>();
  const project = {
    provide: (name: string, value: string) => Object.assign(provided, { [name]: value }),
    vitest: { cancelCurrentRun: async (reason: string) => cancelled.resolve(reason) },
  };
  const teardown = await setup(project as unknown as TestProject);
  const redis = new Redis(provided.labelCacheUrl ?? '', { retryStrategy: () => null });
  await redis.shutdown('NOSAVE').catch(() => {});
  redis.disconnect();
  expect(await cancelled.promise).toBe('test-failure');
  await expect(teardown()).rejects.toThrow(
    /A server of this run ended before it, .* Label cache failed \(exit code 0\)\. .*bye bye/s,
  );
});

// On MongoDB's own server nothing is in a group of its own.
test.runIf(documentDbIsReady())(
  'a run that is killed leaves no process of its database, not even a busy one',
  async ({ onTestFinished }) => {
    const program = `
    import { provideTestServers } from '#test/fixtures/test-servers.ts';
    await provideTestServers(() => {});
    console.log('ready');
    setInterval(() => {}, 1_000);`;
    const run = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: repoRoot,
      env: { ...process.env, ...OWN },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void run.kill('SIGKILL'));
    await once(createInterface(run.stdout), 'line');
    const postgres = childrenOf(run.pid).find((pid) => nameOf(pid) === 'postgres');
    const processes = childrenOf(postgres);
    expect(processes.length).toBeGreaterThan(5);
    // One that takes no signal but SIGKILL, as a query in a loop that never looks for others.
    const busy = processes.at(-1) ?? 0;
    process.kill(busy, 'SIGSTOP');
    onTestFinished(() => {
      if (nameOf(busy) === 'postgres') process.kill(busy, 'SIGKILL');
    });
    run.kill('SIGKILL');
    await expect.poll(() => [postgres, ...processes].filter((pid) => nameOf(pid) === 'postgres')).toEqual([]);
  },
);

function childrenOf(parent: number | undefined): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => Number(statOf(pid)?.[3]) === parent);
}

function nameOf(pid: number | undefined): string | undefined {
  return statOf(pid)?.[1];
}

/** Returns number, name, state and parent of a process that is there. */
function statOf(pid: number | undefined): string[] | undefined {
  try {
    return /^(\d+) \((.*)\) (\w) (\d+)/.exec(readFileSync(join('/proc', `${pid}`, 'stat'), 'utf8'))?.slice(1);
  } catch {
    return undefined;
  }
}

test("a port that one process got is no other process's, before a program listens there", async ({
  onTestFinished,
}) => {
  const program = `
    import { freePort } from '#local/process/free-port.ts';
    console.log(await freePort());
    setInterval(() => {}, 1_000);`;
  const other = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: repoRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void other.kill('SIGKILL'));
  const [line] = await once(createInterface(other.stdout), 'line');
  const taken = Number(line);
  expect(await isFreePort(taken)).toBe(true);
  const random = vi.spyOn(Math, 'random');
  onTestFinished(() => random.mockRestore());
  random.mockReturnValueOnce((taken + 0.5 - 20_000) / 12_000);
  expect(await freePort()).not.toBe(taken);
});
