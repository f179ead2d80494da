import { defineConfig } from 'vitest/config';

/** The tests that `mutants.ts` names, without the servers of a whole run. */
export default defineConfig({ test: { include: JSON.parse(process.env.MUTANTS_TESTS ?? '[]') } });
