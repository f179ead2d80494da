import { PROVEN_MS, type ProvenAction } from '#shared/stores/process-registry.ts';

/** Remembers which actions this process completed within `PROVEN_MS`, for any user. `ProcessRegistry` tells the other processes. */
export class RecentSuccesses {
  /** When it completed each of them last, by `performance.now()`. */
  readonly #succeededAt = new Map<ProvenAction, number>();

  note(action: ProvenAction): void {
    this.#succeededAt.set(action, performance.now());
  }

  /** Returns the actions that it completed within `PROVEN_MS`. */
  recent(): ProvenAction[] {
    const since = performance.now() - PROVEN_MS;
    return [...this.#succeededAt].flatMap(([action, at]) => (at > since ? action : []));
  }
}
