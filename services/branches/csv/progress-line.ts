/** Shortest time between two lines where no terminal watches, in ms; a terminal's one line may change faster. */
const EVERY = 3_000;
const EVERY_ON_TERMINAL = 100;
const CLEAR = '\r\u001b[K';

/** How far a long command is, on standard error: one line that is rewritten on a terminal, else now and then one. */
export function progressLine() {
  const { isTTY } = process.stderr;
  let last = performance.now();
  return {
    show(text: string): void {
      if (performance.now() - last < (isTTY ? EVERY_ON_TERMINAL : EVERY)) return;
      last = performance.now();
      process.stderr.write(isTTY ? CLEAR + text : `${text}\n`);
    },
    /** Before anything else is written. */
    clear(): void {
      if (isTTY) process.stderr.write(CLEAR);
    },
  };
}
