import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { test as withFolder } from '#test/fixtures/folder.ts';

/** A service whose log is on a full disk from the beginning. */

const REASON =
  'The log cannot be written, its next lines may be lost: ENOSPC: no space left on device, write';

const test = withFolder.extend('start', ({ folder }, { onCleanup }) => async () => {
  const port = await freePort();
  const logFile = join(folder, 'log');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const service = spawn(process.execPath, [join(import.meta.dirname, 'logging-service.ts')], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: String(port), LOG_FILE: logFile },
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  onCleanup(() => void service.kill('SIGKILL'));
  const errors: string[] = [];
  const lines = createInterface({ input: service.stderr as Readable }).on('line', (line) =>
    errors.push(line),
  );
  await once(lines, 'line');
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
