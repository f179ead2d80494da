import { addAbortSignal } from 'node:stream';
import askHidden from '@inquirer/password';

/** Longest wait for a secret from a person at a terminal, or from a pipe, in ms. */
const TIMEOUT_MS = 120_000;

/** Names of the errors for a secret that was not typed: Ctrl-C, the time limit, the end of standard input. */
const CANCELLED = new Set(['ExitPromptError', 'AbortError', 'AbortPromptError']);

/** Asks for a secret on a terminal, without echo. */
export function askSecret(message: string): Promise<string> {
  return askHidden(
    { message, toggleMask: false, theme: { style: { maskedText: '' } } },
    { signal: AbortSignal.timeout(TIMEOUT_MS) },
  );
}

/** Reads the first line of standard input; input that is longer than any secret is not read to its end. */
export async function readSecretLine(maxLength: number): Promise<string> {
  const input = addAbortSignal(AbortSignal.timeout(TIMEOUT_MS), process.stdin.setEncoding('utf8'));
  let text = '';
  for await (const chunk of input) {
    text += chunk;
    if (text.includes('\n') || text.length > maxLength) break;
  }
  return (text.split('\n')[0] ?? '').replace(/\r$/, '');
}

/** Returns whether an error says that nobody typed the secret. */
export function isCancelled(error: unknown): boolean {
  return CANCELLED.has((error as Error).name);
}
