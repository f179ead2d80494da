import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { test as folderTest } from '#test/fixtures/folder.ts';

/** Starts a browser in a process of its own, which has the file's folder as the system's temporary one. */
const test = folderTest.extend('start', ({ folder }, { onCleanup }) => {
  const children: ChildProcess[] = [];
  onCleanup(() => void children.map((child) => child.kill('SIGKILL')));
  return async () => {
    const program = join(import.meta.dirname, 'running-browser.ts');
    const child = fork(program, [inject('chromiumPath')], { env: { ...process.env, TMPDIR: folder } });
    children.push(child);
    await once(child, 'message');
    return child;
  };
});

/** Ends a process, and waits until it is gone. */
async function end(child: ChildProcess, how: () => void): Promise<void> {
  const gone = once(child, 'exit');
  how();
  await gone;
}

test.runIf(process.platform === 'linux')(
  'what the Chromium of a killed worker leaves is removed by the next worker, and nothing else is',
  async ({ folder, start }) => {
    writeFileSync(join(folder, 'somebody else'), '');
    mkdirSync(join(folder, 'guias-chromium-1-1-restarted')); // its process has the id of one that runs, but another start
    const living = await start();
    expect(readdirSync(folder)).not.toContain('guias-chromium-1-1-restarted');
    const [ofLiving] = foldersIn(folder);

    const dead = await start();
    const ofDead = foldersIn(folder).find((name) => name !== ofLiving) as string;
    await end(dead, () => dead.kill('SIGKILL'));
    expect(readdirSync(join(folder, ofDead)).length).toBeGreaterThan(0); // a profile

    const next = await start();
    expect(existsSync(join(folder, ofDead))).toBe(false);
    expect(foldersIn(folder)).toContain(ofLiving);
    expect(foldersIn(folder).length).toBe(2);

    for (const child of [living, next]) await end(child, () => child.send('close'));
    expect(readdirSync(folder)).toEqual(['somebody else']);
  },
);

function foldersIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('guias-chromium-'));
}
