import { unlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyOf } from '../folders.ts';
import { type Log, SetupError } from '../setup-error.ts';

/**
 * Takes a lock between the processes of this user. The lock is a listening Unix socket, so the system frees it
 * however its holder dies.
 * @returns releases it; undefined while another process holds it.
 */
export async function tryLock(name: string): Promise<(() => void) | undefined> {
  const key = `shipping-guides-${process.getuid?.()}-${keyOf(name)}`;
  // Linux has abstract names. Elsewhere the file of a dead holder stays and must be removed.
  if (process.platform === 'linux') return listen(`\0${key}`);
  const path = join(tmpdir(), key);
  const release = await listen(path);
  if (release || (await answers(path))) return release;
  unlinkSync(path);
  return listen(path);
}

/** @throws SetupError after ten minutes of waiting for the lock. */
export async function withLock<T>(name: string, log: Log, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 600_000;
  let release = await tryLock(name);
  if (!release) log(`Waiting for another process that holds the lock "${name}"…`);
  while (!release) {
    if (Date.now() > deadline) {
      throw new SetupError(
        `Another process has held the lock "${name}" for ten minutes: end it and try again.`,
      );
    }
    await sleep(200);
    release = await tryLock(name);
  }
  try {
    return await work();
  } finally {
    release();
  }
}

function listen(path: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => resolve(() => server.close()));
    server.unref();
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
  });
}
