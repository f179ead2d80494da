import { stopAllProcesses } from '../process/owned-process.ts';
import type { Log } from '../setup-error.ts';
import { stopSignal } from '../start/stop-signal.ts';

/** Writes a line to standard error: standard output is for what another program reads. */
export const log: Log = (line) => void process.stderr.write(`${line}\n`);

/** Prints the environment that programs in other terminals need, and waits for Ctrl-C. */
export async function offer(env: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(env)) process.stdout.write(`export ${name}='${value}'\n`);
  await stopSignal(() => log('Stopping…'));
}

/** Runs a command of its own process; an error is a sentence and exit code 1. No process that it started stays. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    log((error as Error).message);
    process.exitCode = 1;
  } finally {
    await stopAllProcesses();
  }
}
