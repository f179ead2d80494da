import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { keepRunning } from '#local/process/keep-running.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { isReady } from '#local/system.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test } from '#test/fixtures/system.ts';

/** What `npm start` does with a process that dies. */

test('a service that dies is started again, which the terminal and its log say', async ({ system }) => {
  const { api } = system.processes;
  const lines: string[] = [];
  onTestFinished(keepRunning(api, (line) => lines.push(line)));
  api.kill('SIGKILL');
  await api.ended;
  await expect.poll(() => isReady(system.addresses.api).catch(() => false), { timeout: 60_000 }).toBe(true);
  const line = 'api ended (signal SIGKILL), starting it again in 1 s.';
  expect(lines).toEqual([`${line} Its log: ${api.logFile}`]);
  expect(readFileSync(api.logFile, 'utf8')).toContain(`${line}\n`);
});

test('one that dies again and again is started after ever longer pauses, until it is stopped', async ({
  folder,
}) => {
  const child = startProcess({
    name: 'short',
    command: ['sh', '-c', 'exit 3'],
    logFile: `${folder}/short.log`,
  });
  const lines: string[] = [];
  const stop = keepRunning(child, (line) => lines.push(line));
  await expect.poll(() => lines.length, { timeout: 30_000 }).toBe(3);
  await stop();
  expect(lines.map((line) => line.split('. ')[0])).toEqual([
    'short ended (exit code 3), starting it again in 1 s',
    'short ended (exit code 3), starting it again in 2 s',
    'short ended (exit code 3), starting it again in 4 s',
  ]);
});

test('what is started again keeps its place: what was started after it is stopped before', async ({
  folder,
}) => {
  const module = fileURLToPath(import.meta.resolve('#local/process/owned-process.ts'));
  const program = `
    import { startProcess, stopAllProcesses } from '${module}';
    const start = (name) => startProcess({ name, command: ['sleep', '60'], logFile: '${folder}/order.log' });
    const store = start('store');
    const service = start('service');
    store.kill('SIGKILL');
    await store.ended;
    const again = store.startAgain();
    service.ended.then(() => console.log('service'));
    again.ended.then(() => console.log('store'));
    await stopAllProcesses();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe('service\nstore\n');
});

test('what takes long to start is said every ten seconds, with the reason', async ({ folder }) => {
  const child = startProcess({ name: 'slow', command: ['sleep', '60'], logFile: `${folder}/slow.log` });
  onTestFinished(() => child.stop());
  const lines: string[] = [];
  const probe = async () => {
    if (lines.length === 1) return true;
    passTime(2_500);
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
  };
  await waitUntilReady(child, probe, 60_000, (line) => lines.push(line));
  expect(lines).toEqual(['Waiting for slow: connect ECONNREFUSED 127.0.0.1:1']);
});
