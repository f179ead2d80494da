/** Shortest time between two updates, in ms: where each is a line of its own, and on a terminal, which has one line. */
const INTERVAL = 3_000;
const TERMINAL_INTERVAL = 100;
const CLEAR_LINE = '\r\u001b[K';

/** Shows the progress of a long command on standard error: on a terminal in one line, elsewhere in a line now and then. */
export function progressLine() {
  const { isTTY } = process.stderr;
  let last = performance.now();
  return {
    show(text: string): void {
      if (performance.now() - last < (isTTY ? TERMINAL_INTERVAL : INTERVAL)) return;
      last = performance.now();
      process.stderr.write(isTTY ? CLEAR_LINE + text : `${text}\n`);
    },
    /** Removes the line; to be called before anything else is written. */
    clear(): void {
      if (isTTY) process.stderr.write(CLEAR_LINE);
    },
  };
}
