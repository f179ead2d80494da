import type { Outcome } from './register-events.ts';

/** What the register of events asks of the room that knows which guides were handed over together. */
export type Handover = {
  /** Returns whether a body reports the scan of such a list, in place of events. */
  isScan(body: unknown): body is Record<string, unknown>;
  /**
   * Registers that the guides of a list were picked up.
   *
   * @returns what became of each guide; `indice` is its place in the list.
   * @throws DomainError of the first problem; as `registerEvents`.
   */
  scan(
    body: Record<string, unknown>,
    username: string,
  ): Promise<(Outcome & { indice: number; guide: string })[]>;
  /** Returns the number of the list in which a guide is, if it is in one. */
  listOf(guide: string): Promise<string | undefined>;
};
