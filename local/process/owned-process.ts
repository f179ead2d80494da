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
  /** Which of all processes this was to start; a program that is started again keeps its place. */
  readonly place: number;
  /** Starts the same program once more, after it has ended. */
  startAgain(): OwnedProcess;
};

/** How a process ended: with an exit code, by a signal, or with neither where it could not be started. */
export type Ending = { exitCode: number | null; signal: NodeJS.Signals | null; text: string };

export type ProcessOptions = {
  name: string;
  command: [string, ...string[]];
  logFile: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Asks the process to end; SIGTERM by default. */
  stopSignal?: NodeJS.Signals;
  /** Longest wait for the process to end before it is killed, in ms; 10 000 by default. */
  stopTimeoutMs?: number;
};

const running = new Set<OwnedProcess>();
let started = 0;
let closing = false;
// The last resort when this process exits by itself: nothing that it started outlives it.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a program that ends with this process.
 *
 * The program gets a process group of its own: Ctrl-C in a terminal then reaches this process only, which stops its
 * children in order. On Linux the kernel tells the program when this process dies, even by `kill -9`; elsewhere a
 * `kill -9` leaves the children running.
 */
export function startProcess(options: ProcessOptions): OwnedProcess {
  return startAt(started++, options);
}

function startAt(place: number, options: ProcessOptions): OwnedProcess {
  const { name, logFile, stopSignal, stopTimeoutMs = 10_000 } = options;
  if (closing) throw new Error(`${name} is not started: everything is being stopped.`);
  const child = spawnInOwnGroup(options);
  const ended = endingOf(child);
  const owned: OwnedProcess = {
    name,
    pid: child.pid,
    logFile,
    ended,
    place,
    isRunning: () => running.has(owned),
    kill: (signal) => signalGroup(child.pid, signal),
    stop: async () => {
      child.kill(stopSignal);
      const timer = setTimeout(() => owned.kill('SIGKILL'), stopTimeoutMs);
      await ended;
      clearTimeout(timer);
      owned.kill('SIGKILL'); // whatever the program itself has left in its group
    },
    startAgain: () => startAt(place, options),
  };
  running.add(owned);
  ended.then(() => running.delete(owned));
  return owned;
}

// Asked to end, this shell also ends what the program has started: debootstrap alone would go on for a while.
const WHOLE_GROUP = 'trap "trap - TERM; kill 0" TERM; "$@" & wait $!';

/** Runs a program to its end. @throws Error with the last lines of its log when the program fails. */
export async function runToEnd(options: ProcessOptions): Promise<void> {
  const command: [string, ...string[]] = ['sh', '-c', WHOLE_GROUP, 'sh', ...options.command];
  const { exitCode, text } = await startProcess({ ...options, command }).ended;
  if (exitCode !== 0) throw new Error(describeFailure(options, text));
}

/** Stops everything that this process started, the last place first, and lets nothing more be started. */
export async function stopAllProcesses(): Promise<void> {
  closing = true;
  for (const child of [...running].sort((one, other) => other.place - one.place)) await child.stop();
}

/** Returns whether `stopAllProcesses` has been called. */
export function isStoppingAll(): boolean {
  return closing;
}

/** Says in one sentence what happened to a program, and quotes the last lines of its log. */
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

/** Returns what to put before a command so that the kernel signals the child when this process dies (util-linux). */
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
    // The group is gone already.
  }
}
