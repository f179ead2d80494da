import type { Registry } from 'prom-client';
import { withTimeout } from '#shared/async/with-timeout.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { DependencyState } from './heartbeat.ts';

/** Time limit of a health check. */
const CHECK_TIMEOUT_MS = 1_000;

/** `check` rejects while the dependency does not answer. */
export type Dependency = {
  check: () => Promise<unknown>;
  /** Whether the service becomes ready only with it. Its state is shown and measured in any case. */
  required: boolean;
  /** Tells it of an error of a request, which the check itself may not meet. */
  notice?: (error: unknown) => void;
  /** Set if only this process depends on it. */
  own?: true;
  /** The setting whose value the dependency checks, if several check the same. */
  secret?: string;
};

/** Dependencies by the name that health answers and metrics show. */
export type Dependencies = Map<string, Dependency>;

/** Rejects the check of a store that answers reads but refuses writes. */
export class RefusesWrites extends Error {}

/** Rejects the check of a store that refuses writes because its disk is full. */
export class DiskIsFull extends RefusesWrites {}

/** Rejects the check of a dependency that answers, and refuses the credentials of this process. */
export class RefusesUs extends Error {}

/** Rejects the check of what other processes of the installation have, and this one never had: it must serve nobody. */
export class MissingHere extends Error {}

/** Rejects the check of a store that gives what it has without credentials: who uses it must serve nobody. */
export class IsPublic extends Error {}

/**
 * As health answers show it. `refused`: the dependency refuses the credentials of this process. `public`: it asks nobody for
 * them.
 */
export type HealthState = DependencyState | 'disk-full' | 'refused' | 'public';

/** Returns whether the dependency answers, whatever becomes of writes. */
export function isAnswering(state: HealthState | undefined): boolean {
  return state === 'ok' || refusesWrites(state);
}

export function refusesWrites(state: HealthState | undefined): boolean {
  return state === 'read-only' || state === 'disk-full';
}

/** Returns the errors of the checks that fail or do not end in time. */
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

export async function dependencyStates(dependencies: Dependencies): Promise<Record<string, HealthState>> {
  const failed = await failedDependencies(dependencies);
  return Object.fromEntries([...dependencies.keys()].map((name) => [name, stateOf(failed.get(name))]));
}

export function stateOf(failure: Error | undefined): HealthState {
  if (!failure) return 'ok';
  if (failure instanceof RefusesUs) return 'refused';
  if (failure instanceof IsPublic) return 'public';
  if (failure instanceof DiskIsFull) return 'disk-full';
  return failure instanceof RefusesWrites ? 'read-only' : 'down';
}

/** What a connection needs of a service's server. */
export type ConnectionOwner = {
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  metrics: Registry;
  dependencies: Dependencies;
  startup: { connect(what: string, work: () => Promise<unknown>): void };
  addHook(when: 'preClose' | 'onClose', close: () => Promise<unknown>): unknown;
};
