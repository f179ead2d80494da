/** A key or a password was refused. */
export class CredentialRefused extends Error {
  override name = 'CredentialRefused';
}

/**
 * A key or a password. Once it is refused nothing is sent with it until its text differs, because the canary may share its address with
 * customers.
 */
export class Credential {
  readonly #read: () => string;
  readonly #tryAgainMs: number;
  #text: string;
  /** When it was last refused, or last tried after that, by `performance.now()`. */
  #refusedAt: number | undefined;
  /** When it was refused first, and when it was right last, by `performance.now()`. */
  refusedSince: number | undefined;
  rightAt: number | undefined;

  /**
   * @param read returns the secret as it is now; may throw while a file is replaced.
   * @param tryAgainMs pause before a refused text is tried again: an operator may store it only now, or anew.
   */
  constructor(read: () => string, tryAgainMs: number) {
    this.#read = read;
    this.#tryAgainMs = tryAgainMs;
    this.#text = read();
  }

  get isRefused(): boolean {
    return this.#refusedAt !== undefined;
  }

  /** Returns the text. Reads a refused one again, and returns it once to try it. @throws CredentialRefused */
  take(): string {
    if (this.#refusedAt === undefined) return this.#text;
    const [text, now] = [this.#readNow(), performance.now()];
    if (text === this.#text && now - this.#refusedAt < this.#tryAgainMs) throw new CredentialRefused();
    this.#text = text;
    this.#refusedAt = now;
    return text;
  }

  #readNow(): string {
    try {
      return this.#read();
    } catch {
      return this.#text;
    }
  }

  /** Judges a text by its answer. One that was replaced meanwhile says nothing of the present one. */
  judge(text: string, isRight: boolean): void {
    if (text !== this.#text) return;
    const now = performance.now();
    if (isRight) this.rightAt = now;
    this.#refusedAt = isRight ? undefined : now;
    this.refusedSince = isRight ? undefined : (this.refusedSince ?? now);
  }
}
