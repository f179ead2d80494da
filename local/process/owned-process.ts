import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

export type OwnedProcess = {
  readonly name: string;
  readonly pid: number | undefined;
  readonly logFile: string;
  /** Resolves when the process has ended or could not be started; never rejects. */
  readonly ended: Promise<Ending>;
  isRunning(): boolean;
  /** Sends a signal to the whole process group. */
  kill(signal: NodeJS.Signals): void;
  /** Asks the process to end and, after the deadline, kills its whole process group. */
  stop(): Promise<void>;
  /** Counts the starts. A process that is started again keeps its number. */
  readonly order: number;
  /** Starts the program once more, after it has ended. */
  startAgain(): OwnedProcess;
};

/** Neither code nor signal: the process could not be started. */
export type Ending = { exitCode: number | null; signal: NodeJS.Signals | null; text: string };

export type ProcessOptions = {
  name: string;
  command: [string, ...string[]];
  logFile: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Asks the process to end; SIGTERM by default. */
  stopSignal?: NodeJS.Signals;
  /** In ms, before the process is killed; 10 000 by default. */
  stopTimeoutMs?: number;
  /** Ends the process at once, with what it has started outside of its group; SIGKILL by default. */
  killSignal?: NodeJS.Signals;
};

const running = new Map<OwnedProcess, { killSignal: NodeJS.Signals }>();
let started = 0;
let closing = false;
// The last resort: nothing that this process started outlives it.
process.on('exit', () => {
  for (const [child, { killSignal }] of running) child.kill(killSignal);
});

/**
 * Starts a program that ends with this process. In its own process group, it does not get a terminal's Ctrl-C: this
 * process stops its children in order. On Linux the kernel ends the program when this process dies, even by `kill
 * -9`.
 */
export function startProcess(options: ProcessOptions): OwnedProcess {
  return startAt(started++, options);
}

function startAt(order: number, options: ProcessOptions): OwnedProcess {
  const { name, logFile, stopSignal, stopTimeoutMs = 10_000, killSignal = 'SIGKILL' } = options;
  if (closing) throw new Error(`${name} is not started: everything is being stopped.`);
  const child = spawnInOwnGroup(options);
  const ended = endingOf(child);
  const owned: OwnedProcess = {
    name,
    pid: child.pid,
    logFile,
    ended,
    order,
    isRunning: () => running.has(owned),
    kill: (signal) => signalGroup(child.pid, signal),
    stop: async () => {
      child.kill(stopSignal);
      const timer = setTimeout(() => owned.kill(killSignal), stopTimeoutMs);
      await ended;
      clearTimeout(timer);
      owned.kill('SIGKILL'); // what the program has left in its group
    },
    startAgain: () => startAt(order, options),
  };
  running.set(owned, { killSignal });
  ended.then(() => running.delete(owned));
  return owned;
}

// This shell also ends what the program has started: debootstrap alone would go on for a while.
const WHOLE_GROUP = 'trap "trap - TERM; kill 0" TERM; "$@" & wait $!';

/** @throws Error with the last lines of its log when the program fails. */
export async function runToEnd(options: ProcessOptions): Promise<void> {
  const command: [string, ...string[]] = ['sh', '-c', WHOLE_GROUP, 'sh', ...options.command];
  const { exitCode, text } = await startProcess({ ...options, command }).ended;
  if (exitCode !== 0) throw new Error(describeFailure(options, text));
}

/** Stops the process that was started last first, and lets nothing more start. */
export async function stopAllProcesses(): Promise<void> {
  closing = true;
  for (const child of [...running.keys()].sort((one, other) => other.order - one.order)) await child.stop();
}

export function isStoppingAll(): boolean {
  return closing;
}

/** Describes a failure, with the last lines of the log. */
export function describeFailure({ name, logFile }: { name: string; logFile: string }, what: string): string {
  const lastLines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  return `${name} failed (${what}). The end of ${logFile}:\n${lastLines}`;
}

function spawnInOwnGroup({ command, logFile, env, cwd }: ProcessOptions): ChildProcess {
  mkdirSync(dirname(logFile), { recursive: true });
  const output = openSync(logFile, 'a');
  const [program, ...args] = [...deathSignalPrefix(), ...command] as [string, ...string[]];
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', output, output],
    ...(env && { env }),
    ...(cwd && { cwd }),
  });
  closeSync(output);
  return child;
}

let prefix: string[] | undefined;

/** Makes the kernel signal the child when this process dies (util-linux). */
function deathSignalPrefix(): string[] {
  const setpriv = ['setpriv', '--pdeathsig', 'TERM', '--'];
  const works = () =>
    process.platform === 'linux' && spawnSync('setpriv', [...setpriv.slice(1), 'true']).status === 0;
  prefix ??= works() ? setpriv : [];
  return prefix;
}

function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ exitCode: null, signal: null, text: message }));
    child.once('exit', (exitCode, signal) =>
      resolve({ exitCode, signal, text: signal ? `signal ${signal}` : `exit code ${exitCode}` }),
    );
  });
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
