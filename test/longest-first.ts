import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where files are short and take long. */
const LONG = /\/test\/(faults|examples|e2e)\/|-faults\.test/;

/**
 * Starts the files that take longest first, or one of them would run alone at the end. Vitest goes by the times of the last
 * run; where there was none it goes by sizes, which say little of a test that starts processes.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    if (files.every((file) => this.ctx.cache.getTestSpecificationResult(file))) return sorted;
    return sorted.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
