import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject } from 'vitest';
import { cacheFolder, makeTemporaryFolder } from '#local/folders.ts';
import { underLoad } from '../clients/under-load.ts';
import { chromiumOf, signalChromium } from '../system/chromium.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest, type Wanted } from '../system/system.ts';

/** The worker's own temporary folders, small and seen by nobody else; this takes root, and Linux. */
const DISKS = ['/tmp', '/dev/shm'];
const MOUNT = `for disk in ${DISKS.join(' ')}; do mount -t tmpfs -o size=64m tmpfs $disk; done; exec "$@"`;

const test = faultTest
  .override('folder', { scope: 'file' }, async ({}, { onCleanup }) => {
    const folder = makeTemporaryFolder(join(cacheFolder, 'tests')); // /tmp of the worker is another one
    onCleanup(() => rmSync(folder, { recursive: true }));
    return folder;
  })
  /** While this file is there, a Chromium that starts gets no more memory than it says, in KiB. */
  .extend('memoryLimit', { scope: 'file' }, ({ folder }) => join(folder, 'memory'))
  .override('wanted', { scope: 'file' }, ({ folder, memoryLimit }): Wanted => {
    const chromium = join(folder, 'chromium');
    const limited = `[ ! -f '${memoryLimit}' ] || ulimit -v $(cat '${memoryLimit}')`;
    writeFileSync(chromium, `#!/bin/sh\n${limited}\nexec '${inject('chromiumPath')}' "$@"\n`);
    chmodSync(chromium, 0o755);
    return {
      before: { 'label-worker': ['unshare', '--mount', 'sh', '-ec', MOUNT, 'sh'] },
      env: { CHROMIUM_PATH: chromium },
    };
  })
  .extend('worker', { scope: 'file' }, ({ system }) => system.workers[0] as Part);

/** The worker's disks, as seen from outside. */
const disksOf = ({ pid }: Part) => DISKS.map((disk) => `/proc/${pid}/root${disk}`);

test('with a full disk a label gets an error at most, and the worker goes on', async ({ system, worker }) => {
  const pid = worker.pid;
  await underLoad(system, 'disk full for 10 s, and Chromium killed', [500, 503], async () => {
    for (const disk of disksOf(worker)) {
      expect(() => writeFileSync(join(disk, 'full'), Buffer.alloc(2 ** 27))).toThrow('ENOSPC');
      expect(statfsSync(disk).bavail).toBe(0);
    }
    signalChromium(worker, 'SIGKILL'); // its successor has to do without
    await sleep(10_000);
    for (const disk of disksOf(worker)) rmSync(join(disk, 'full'));
    return { from: performance.now() };
  });
  expect(worker.pid).toBe(pid);
});

test('without memory for Chromium a label gets an error, and the worker goes on', async ({
  memoryLimit,
  system,
  worker,
}) => {
  const pid = worker.pid;
  const load = await underLoad(system, 'no memory for Chromium for 10 s', [500, 503], async () => {
    writeFileSync(memoryLimit, '100000');
    const group = String(chromiumOf(worker));
    for (const one of execFileSync('pgrep', ['-g', group], { encoding: 'utf8' }).trim().split('\n')) {
      execFileSync('prlimit', ['--pid', one, '--as=1']);
    }
    await sleep(10_000);
    rmSync(memoryLimit);
    return { from: performance.now() };
  });
  expect(load.of('label', 500).length).toBeGreaterThan(0);
  expect(worker.pid).toBe(pid);
});
