/** Two signals within this time are one Ctrl-C, in ms: under npm it comes from the terminal and from npm. */
const SAME_SIGNAL_MS = 500;

/** Resolves at the first Ctrl-C or SIGTERM; a second one ends this process at once. @param onStop is called at the first. */
export function stopSignal(onStop: () => void): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const stop = () => {
      if (first === undefined) onStop();
      else if (Date.now() - first > SAME_SIGNAL_MS) process.exit(1); // owned-process.ts then kills what is left
      first ??= Date.now();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    process.stdout.on('error', () => {}); // a closed terminal must not keep the services from stopping in order
  });
}
