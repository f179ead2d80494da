import { unlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyOf } from '../folders.ts';
import { type Log, SetupError } from '../setup-error.ts';

/**
 * Takes a lock between processes, or returns undefined when somebody holds it. The lock is a Unix socket that
 * listens: the system frees it when its holder dies, however it dies, so no lock is ever left behind.
 */
export async function tryLock(name: string): Promise<(() => void) | undefined> {
  const key = `shipping-guides-${process.getuid?.()}-${keyOf(name)}`;
  // An abstract name (Linux) is no file; elsewhere the dead holder's file stays and must be removed.
  if (process.platform === 'linux') return listen(`\0${key}`);
  const path = join(tmpdir(), key);
  const release = await listen(path);
  if (release || (await answers(path))) return release;
  unlinkSync(path);
  return listen(path);
}

/** Runs `work` while this process alone holds the lock, waiting for it up to ten minutes. */
export async function withLock<T>(name: string, log: Log, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 600_000;
  let release = await tryLock(name);
  if (!release) log(`Waiting for another process that does the same (${name})…`);
  while (!release) {
    if (Date.now() > deadline) {
      throw new SetupError(`Another process has held "${name}" for ten minutes: end it and try again.`);
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
