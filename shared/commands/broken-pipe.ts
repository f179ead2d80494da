import { pipeline } from 'node:stream/promises';

/** How a shell shows a program that SIGPIPE ends, which Node.js ignores. */
const BROKEN_PIPE = 141;

/** The reader has closed, or the terminal has. */
const CLOSED = new Set(['EPIPE', 'EIO']);
/** What a write throws, or a pipeline, after the reader has closed. */
const CODES = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * Runs a command whose reader may close its output early, as `head` does. What it changes is still done, since that must not
 * end halfway; a command that streams its output ends. Neither says so.
 *
 * @param run returns the exit code, or throws.
 * @returns the exit code, 141 in place of 0 if the reader has closed.
 * @throws the error of `run`, unless that is the closed reader; else what kept the output from being written, such as a full disk.
 */
export async function untilPipeBreaks(run: () => Promise<number>): Promise<number> {
  let failure: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error) => {
    failure ??= error;
  });
  const isBroken = () => CLOSED.has(failure?.code ?? '');
  try {
    const code = await run();
    // The error of the last write comes after the write.
    await new Promise((resolve) => process.stdout.write('', resolve));
    if (failure && !isBroken()) throw failure;
    return isBroken() && code === 0 ? BROKEN_PIPE : code;
  } catch (error) {
    if (isBroken() && CODES.has((error as NodeJS.ErrnoException).code ?? '')) return BROKEN_PIPE;
    throw error;
  }
}

/**
 * Streams to standard output, which stays open: a pipe that is ended closes at once, as if its reader had left.
 * @throws as soon as nobody reads any more, or nothing can be written, unlike a plain write.
 */
export async function writeToOutput(parts: Iterable<string> | AsyncIterable<string>): Promise<void> {
  await pipeline(parts, process.stdout, { end: false });
}
