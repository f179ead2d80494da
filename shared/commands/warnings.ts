import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';

const ANSWER_TIMEOUT_MS = 120_000;

/** Adds the option of `acceptWarnings`, by both of its names: that of releases before 1.8.1 is the first. */
export function addYes(command: Command): Command {
  return command.option('--accept-warnings, --yes', 'carga aunque haya avisos, sin preguntar');
}

/**
 * Lets a load that has warnings go on only if that is meant: by `--yes`, or by the answer of a person at a terminal.
 * @param warnings in words for the operator.
 * @returns whether the operator has read them.
 * @throws Error that has them, and says what to do.
 */
export async function acceptWarnings(warnings: string, yes: boolean): Promise<boolean> {
  if (yes) return false;
  if (!process.stdin.isTTY)
    throw new Error(`${warnings}\nNo se cargo nada: corrija los avisos, o agregue --yes`);
  process.stderr.write(`${warnings}\n`);
  if (!(await confirm('¿Cargar con estos avisos? Escriba SI para seguir: ')))
    throw new Error('Cancelado: no se cargo nada');
  return true;
}

/** Asks on standard error, and returns whether standard input answers `SI` within two minutes. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const closed = new Promise<string>((done) => terminal.once('close', () => done('')));
    const answer = await Promise.race([terminal.question(question, { signal }).catch(() => ''), closed]);
    return answer.trim().toUpperCase() === 'SI';
  } finally {
    terminal.close();
  }
}
