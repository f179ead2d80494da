import { createInterface } from 'node:readline/promises';

const ANSWER_TIMEOUT_MS = 120_000;

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
