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
 * @throws the error of `run`, unless that is the closed reader.
 */
export async function untilPipeBreaks(run: () => Promise<number>): Promise<number> {
  let isBroken = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!CLOSED.has(error.code ?? '')) throw error;
    isBroken = true;
  });
  try {
    const code = await run();
    // The error of the last write comes after the write.
    await new Promise((resolve) => process.stdout.write('', resolve));
    return isBroken && code === 0 ? BROKEN_PIPE : code;
  } catch (error) {
    if (isBroken && CODES.has((error as NodeJS.ErrnoException).code ?? '')) return BROKEN_PIPE;
    throw error;
  }
}
