import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type OwnedProcess = {
  readonly name: string;
  readonly pid: number | undefined;
  readonly logFile: string;
  /** Resolves with how it ended, in words; never rejects. */
  readonly ended: Promise<string>;
  isRunning(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** Asks it to end and, after the deadline, kills its whole process group. */
  stop(): Promise<void>;
  /** The same program once more, for who ended it. */
  startAgain(): OwnedProcess;
};

export type ProcessOptions = {
  name: string;
  command: [string, ...string[]];
  logFile: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Asks it to end; SIGTERM where it is not said. */
  stopSignal?: NodeJS.Signals;
  stopDeadlineMs?: number;
};

const running = new Set<OwnedProcess>();
let closing = false;
// The last resort, whatever ends this process with its own exit: nothing that it started outlives it.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a program that ends with us. It has a process group of its own, so that Ctrl-C in a terminal reaches
 * only us and we stop things in order; on Linux the kernel tells it when we die, even by `kill -9`.
 * (Elsewhere nothing does: there a `kill -9` of this process leaves its children running.)
 */
export function startProcess(options: ProcessOptions): OwnedProcess {
  const { name, command, logFile, env, cwd } = options;
  if (closing) throw new Error(`${name} is not started: everything is being stopped.`);
  mkdirSync(dirname(logFile), { recursive: true });
  const output = openSync(logFile, 'a');
  const [program, ...args] = [...deathSignal(), ...command] as [string, ...string[]];
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', output, output],
    ...(env && { env }),
    ...(cwd && { cwd }),
  });
  closeSync(output);

  const ended = endOf(child);
  const owned: OwnedProcess = {
    name,
    pid: child.pid,
    logFile,
    ended,
    isRunning: () => running.has(owned),
    kill: (signal) => signalGroup(child.pid, signal),
    stop: async () => {
      child.kill(options.stopSignal);
      const timer = setTimeout(() => owned.kill('SIGKILL'), options.stopDeadlineMs ?? 10_000);
      await ended;
      clearTimeout(timer);
      owned.kill('SIGKILL'); // what it started itself and left in its group
    },
    startAgain: () => startProcess(options),
  };
  running.add(owned);
  ended.then(() => running.delete(owned));
  return owned;
}

/** For the end of this process: stops everything that it started, the newest first, and starts nothing more. */
export async function stopAllProcesses(): Promise<void> {
  closing = true;
  for (const child of [...running].reverse()) await child.stop();
}

/** Runs a program to its end. @throws with its last lines when it fails. */
export async function runToEnd(options: ProcessOptions): Promise<void> {
  // Asked to end, this shell also ends what the program has started: debootstrap alone would go on for a while.
  const wholeGroup = 'trap "trap - TERM; kill 0" TERM; "$@" & wait $!';
  const how = await startProcess({ ...options, command: ['sh', '-c', wholeGroup, 'sh', ...options.command] })
    .ended;
  if (how !== 'exit code 0') throw new Error(failure(options.name, how, options.logFile));
}

/** Waits until `probe` says yes. @throws when the program ends before, or the deadline passes. */
export async function untilReady(
  child: OwnedProcess,
  probe: () => Promise<boolean>,
  deadlineMs: number,
): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!(await probe().catch(() => false))) {
    if (!child.isRunning()) throw new Error(failure(child.name, await child.ended, child.logFile));
    if (Date.now() > deadline) {
      throw new Error(failure(child.name, `not ready after ${deadlineMs / 1000} s`, child.logFile));
    }
    await sleep(50);
  }
}

/** One sentence on what happened to a program, and the end of what it said. */
export function failure(name: string, how: string, logFile: string): string {
  return `${name} failed (${how}). The end of ${logFile}:\n${lastLines(logFile, 15)}`;
}

const handedOut = new Set<number>();

/** A port that nobody listens on. Below 32768, where no system takes the ports of outgoing connections from. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    return port;
  }
}

/** Whether a server could listen on the port now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

let prefix: string[] | undefined;

/** `setpriv` (util-linux) sets the signal that the kernel sends at the parent's death. */
function deathSignal(): string[] {
  const setpriv = ['setpriv', '--pdeathsig', 'TERM', '--'];
  const works = () =>
    process.platform === 'linux' && spawnSync('setpriv', [...setpriv.slice(1), 'true']).status === 0;
  prefix ??= works() ? setpriv : [];
  return prefix;
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch {
    // It is gone already.
  }
}

function lastLines(file: string, count: number): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}
