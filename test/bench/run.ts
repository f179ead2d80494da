import type { TestServers } from '#test/fixtures/test-servers.ts';

/** What every row of the benchmark is given. */
export type Run = {
  servers: TestServers;
  say(line: string): void;
  /** How often each thing is measured; the table shows the median. */
  rounds: number;
  /** Guides for the row with a full database. */
  guides: number;
  /** So many, or fewer in a quick run. */
  count(usual: number): number;
};

/** What a row came to: a value for each round. `what` and the limits are in `targets.ts`, under the same id. */
export type Result = { id: string; rounds: number[]; note?: string };

/** A group of rows that are measured together. */
export type Rows = (run: Run) => Promise<Result[]>;
