import { withTimeout } from '#shared/async/with-timeout.ts';

/** Rejects a check of a store that answers but refuses to write: what only reads goes on. */
export class RefusesWrites extends Error {}

/** Something that a service asks over the network: `check` rejects while it does not answer. */
export type Dependency = {
  check: () => Promise<unknown>;
  /** Whether the service must have it; whether it answers is a metric either way. */
  required: boolean;
  /** Set where it is this process's own, so that another process may well be able to do without it what this one cannot. */
  own?: true;
};

/** By the name that health answers and metrics show. */
export type Dependencies = Map<string, Dependency>;

/** A check that takes longer has failed, in ms. */
const CHECK_TIMEOUT_MS = 1_000;

/** Returns the dependencies whose check fails now, or does not end in time, and why. */
export async function failedDependencies(dependencies: Dependencies): Promise<Map<string, Error>> {
  const failed = new Map<string, Error>();
  await Promise.all(
    [...dependencies].map(async ([name, { check }]) => {
      await withTimeout(CHECK_TIMEOUT_MS, `The health check of ${name}`, check()).catch((error: Error) =>
        failed.set(name, error),
      );
    }),
  );
  return failed;
}
