import { MAX_PROBLEMS, type Problem } from '#shared/errors.ts';

/** Keeps the first problems of many, as many as an answer names, and counts the others. */
export class ProblemList {
  readonly first: Problem[] = [];
  total = 0;

  /** @param make is called only where the problem is kept, so that a hundred thousand cost little. */
  add(make: () => Problem): void {
    this.total++;
    if (this.first.length < MAX_PROBLEMS) this.first.push(make());
  }
}
