type Options = {
  /** Most turns of an account at a time. */
  active: number;
  /** Most of an account that wait for one. */
  waiting: number;
  /** Longest wait, in ms. */
  waitMs: number;
};

/** What an account has here: turns that are taken, and those who wait, the first in front. */
type Line = { active: number; waiting: (() => void)[] };

/** Lets each account do a few costly things at a time; others of it wait in the order of their arrival. */
export class AccountTurns {
  readonly #options: Options;
  readonly #lines = new Map<string, Line>();

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Waits for a turn.
   *
   * @param gone aborts when nobody wants it any more; that ends a wait, but no turn.
   * @returns what ends the turn, to be called once; undefined where none came in time, or too many wait.
   */
  async take(account: string, gone: AbortSignal): Promise<(() => void) | undefined> {
    const line = this.#lines.get(account) ?? { active: 0, waiting: [] };
    this.#lines.set(account, line);
    if (line.active < this.#options.active) line.active++;
    else if (!(await this.#wait(line, gone))) return undefined;
    return () => {
      const next = line.waiting.shift();
      if (next) return next();
      line.active--;
      if (line.active === 0) this.#lines.delete(account);
    };
  }

  /** Returns whether it has got the turn of one who ended. */
  async #wait({ waiting }: Line, gone: AbortSignal): Promise<boolean> {
    if (waiting.length >= this.#options.waiting || gone.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const begin = () => resolve(true);
    waiting.push(begin);
    const giveUp = () => {
      const place = waiting.indexOf(begin);
      if (place >= 0) waiting.splice(place, 1);
      resolve(false);
    };
    const timer = setTimeout(giveUp, this.#options.waitMs);
    gone.addEventListener('abort', giveUp);
    const begun = await promise;
    clearTimeout(timer);
    gone.removeEventListener('abort', giveUp);
    return begun;
  }
}
