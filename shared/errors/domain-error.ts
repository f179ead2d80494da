/**
 * The codes of all errors, as keys. Each table of errors adds its own, so that a misspelt code does not compile:
 * `interface ErrorCodes extends CodesOf<typeof table> {}` in a `declare module '#shared/errors/domain-error.ts'`.
 */
export interface ErrorCodes {
  /** A store or service is away; the same request may succeed later. */
  unavailable: unknown;
  internal: unknown;
}
export type ErrorCode = keyof ErrorCodes;
export type CodesOf<Table> = Record<keyof Table, unknown>;

/** Most problems that an answer names. */
export const MAX_PROBLEMS = 50;
/** The same of an operation that is asked for all problems at once. */
export const MAX_PROBLEMS_AT_ONCE = 500;
/** Longest name in an answer, in characters. The name of an unknown field or parameter is the client's own text. */
export const MAX_NAME_LENGTH = 120;

export type ErrorParams = Readonly<Record<string, string | number | undefined>>;

/** `indice` and `campo` locate a problem in a request. */
export type Problem = { indice?: number; campo?: string; code: ErrorCode; params?: ErrorParams };

/** Keeps as many problems as an answer names, and counts the others. */
export class ProblemList {
  readonly first: Problem[] = [];
  total = 0;
  readonly #most: number;

  constructor(most = MAX_PROBLEMS) {
    this.#most = most;
  }

  /** @param make is called only if the problem is kept, so that a hundred thousand cost little. */
  add(make: () => Problem): void {
    this.total++;
    if (this.first.length < this.#most) this.first.push(make());
  }

  throwIfAny(code: ErrorCode): void {
    if (this.total > 0) throw this.toError(code);
  }

  toError(code: ErrorCode): DomainError {
    return new DomainError(code, { problems: this.first, problemsTotal: this.total, most: this.#most });
  }
}

/**
 * An error that the domain foresees, without HTTP or the queue. A table at each edge maps the `code`:
 * `shared/http/http-errors.ts`, `errors.ts` of a service or of a room of the api, `queue/` of the label worker.
 */
export class DomainError extends Error {
  override name = 'DomainError';
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly problems: readonly Problem[];
  /** The number of all problems. `problems` may have only the first ones. */
  readonly problemsTotal: number;
  /** Most problems that the answer names. */
  readonly mostNamed: number;
  /** What the answer also tells, and refuses nothing. */
  readonly warnings: ProblemList | undefined;

  constructor(
    code: ErrorCode,
    options: {
      params?: ErrorParams;
      problems?: readonly Problem[];
      problemsTotal?: number;
      /** Most problems that the answer names. */
      most?: number;
      warnings?: ProblemList;
      cause?: unknown;
    } = {},
  ) {
    super(code, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.params = options.params ?? {};
    const { problems = [], most = MAX_PROBLEMS } = options;
    this.problems = problems;
    this.mostNamed = most;
    this.problemsTotal = options.problemsTotal ?? problems.length;
    this.warnings = options.warnings;
  }

  /** Returns this error with warnings of one request. This error itself may be the answer of several requests. */
  withWarnings(warnings: ProblemList): DomainError {
    const { code, params, problems, problemsTotal, mostNamed: most, cause } = this;
    return new DomainError(code, { params, problems, problemsTotal, most, warnings, cause });
  }
}
