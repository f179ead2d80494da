import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { LogOutput } from '#shared/observability/log-output.ts';
import { test as withFolder } from '#test/fixtures/folder.ts';

/** A service whose log is on a full disk from the beginning, or is not read. */

const REASON =
  'The log cannot be written, its next lines may be lost: ENOSPC: no space left on device, write';

const test = withFolder.extend('start', ({ folder }, { onCleanup }) => async (stdout?: 'pipe') => {
  const port = await freePort();
  const logFile = join(folder, 'log');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const service = spawn(process.execPath, [join(import.meta.dirname, 'logging-service.ts')], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: String(port), LOG_FILE: logFile },
    stdio: ['ignore', stdout ?? openSync('/dev/full', 'w'), 'pipe'],
  });
  onCleanup(() => void service.kill('SIGKILL'));
  const errors: string[] = [];
  const lines = createInterface({ input: service.stderr as Readable }).on('line', (line) =>
    errors.push(line),
  );
  if (stdout) await once(service.stdout as Readable, 'readable');
  else await once(lines, 'line');
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  const log = async () =>
    (await readFile(logFile, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { service, errors, ask, log };
});

test('serves and ends in order, and tells the reason once', async ({ start }) => {
  const { service, errors, ask } = await start();
  for (const path of ['/lines/3', '/lines/3000', '/lines/3']) expect(await ask(path)).toBe('logged');
  service.kill('SIGTERM');
  expect(await once(service, 'close')).toEqual([0, null]);
  expect(errors).toEqual([REASON]);
});

test('logs again once there is room: what waited, and how many lines are lost', async ({ start }) => {
  const { service, ask, log } = await start();
  await ask('/lines/3000');
  expect(await ask('/room')).toBe('1');
  const recovered = /^The log is written again, (\d+) lines are lost$/;
  await expect
    .poll(async () => (await log().catch(() => [])).map(({ msg }) => msg))
    .toContainEqual(expect.stringMatching(recovered));
  const lines = await log();
  const [, lost] = recovered.exec(lines.find(({ msg }) => recovered.test(msg)).msg) ?? [];
  expect(lines[0].msg).toMatch(/^Server listening/);
  const kept = lines.filter(({ msg }) => msg === 'A long line').length;
  expect(kept).toBeGreaterThan(500);
  // Of the first request, only the line after these may be lost too.
  expect(3_000 - kept).toBeLessThanOrEqual(Number(lost));
  await ask('/lines/1');
  service.kill('SIGTERM');
  expect(await once(service, 'close')).toEqual([0, null]);
  expect((await log()).slice(-1)).toEqual([expect.objectContaining({ msg: 'The service is closed' })]);
});

test('keeps a bounded part of a log that nobody reads, and says how many lines are lost', async ({
  start,
}) => {
  const { service, ask } = await start('pipe');
  expect(await ask('/lines/9000')).toBe('logged');
  const stdout = service.stdout as Readable;
  const lost: number[] = [];
  let kept = 0;
  for await (const line of createInterface({ input: stdout })) {
    const { msg } = JSON.parse(line);
    if (msg === 'A long line') kept++;
    const [, count] = /^The log is written again, (\d+) lines are lost$/.exec(msg) ?? [];
    if (count) lost.push(Number(count));
    if (count) service.kill('SIGTERM');
  }
  expect(kept).toBeLessThan(5_000);
  expect(lost).toHaveLength(1);
  // The line that tells of the last request may be lost too.
  expect(9_000 - kept).toBeLessThanOrEqual(Number(lost[0]));
});

test('writes all that waits into a pipe that is full when the process ends', async ({ folder }) => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const output = new LogOutput(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK));
  // Not this process, which stands still meanwhile.
  const logFile = join(folder, 'log');
  const reader = spawn('head', ['-n', '2', pipe], { stdio: ['ignore', openSync(logFile, 'w'), 'inherit'] });
  const read = once(reader, 'close');
  const lines = [`${'x'.repeat(900_000)}\n`, 'last\n'];
  for (const line of lines) output.write(line);
  output.flushSync();
  await read;
  expect((await readFile(logFile, 'utf8')) === lines.join('')).toBe(true);
});
