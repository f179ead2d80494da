import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Longest time for the clean-up of a file's fixtures, in ms. */
const CLEAN_UP_MS = 60_000;
/**
 * Longest time in which a file shows no progress otherwise, in ms. It is longer than the timeouts of tests and hooks, which
 * Vitest itself ends, and than a file can be silent that waits for programs without letting its process do anything else.
 */
const SILENCE_MS = 180_000;

/** What a file does, since when, and how long it may take. */
type Activity = { file: string; what: string; since: number; limitMs: number };
type Hook = Parameters<NonNullable<Reporter['onHookStart']>>[0];

/**
 * Ends the run where a file hangs, and names it. Vitest bounds tests and hooks within the process that runs them; neither the
 * clean-up of fixtures is bounded, nor an import, nor a loop that never waits.
 */
export default class HangingFile implements Reporter {
  readonly #activities = new Map<string, Activity>();
  #vitest?: Vitest;
  #timer?: NodeJS.Timeout;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    this.#timer = setInterval(() => this.#look(), 1_000).unref();
  }

  onTestModuleQueued(module: TestModule): void {
    this.#begin(module, 'its import');
  }

  onTestModuleCollected(module: TestModule): void {
    this.#begin(module, 'its first test or hook');
  }

  onTestCaseReady(test: TestCase): void {
    this.#begin(test.module, `"${test.fullName}"`, test.options.timeout);
  }

  onTestCaseResult({ module, fullName }: TestCase): void {
    const next = module.children.allTests('pending').next();
    if (next.done) this.#beginCleanUp(module);
    else this.#begin(module, `what follows "${fullName}"`);
  }

  onHookStart({ name, entity }: Hook): void {
    const module = entity.type === 'module' ? entity : entity.module;
    this.#begin(module, name, module.project.config.hookTimeout);
  }

  onHookEnd({ name, entity }: Hook): void {
    if (name === 'afterAll' && entity.type === 'module') this.#beginCleanUp(entity);
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.#activities.delete(moduleId);
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  #beginCleanUp({ moduleId, relativeModuleId: file }: TestModule): void {
    const what = 'the clean-up of its fixtures';
    this.#activities.set(moduleId, { file, what, since: performance.now(), limitMs: CLEAN_UP_MS });
  }

  /** @param timeoutMs what Vitest itself gives it. */
  #begin({ moduleId, relativeModuleId: file }: TestModule, what: string, timeoutMs = 0): void {
    const limitMs = Math.max(SILENCE_MS, 1.1 * timeoutMs);
    this.#activities.set(moduleId, { file, what, since: performance.now(), limitMs });
  }

  #look(): void {
    const late = [...this.#activities.values()].find(
      ({ since, limitMs }) => performance.now() - since > limitMs,
    );
    if (late) this.#endRun(late);
  }

  #endRun({ file, what, limitMs }: Activity): void {
    this.#activities.clear();
    const sentence = `${file} hangs: ${what} has not ended after ${limitMs / 1_000} s. The run ends here.`;
    this.#vitest?.state.catchError(Object.assign(new Error(sentence), { stack: sentence }), 'Hanging File');
    // The second time kills the processes of the files, as a second Ctrl-C does.
    for (let i = 0; i < 2; i++) void this.#vitest?.cancelCurrentRun('test-failure');
  }
}
