import { Ajv } from 'ajv';
import { CanaryReport } from '#shared/canary/report.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';

/** Longest wait for the canary, in ms: a canary that hangs delays the page no longer. */
const TIMEOUT_MS = 1_000;

const isReport = new Ajv({ validateSchema: false }).compile<CanaryReport>(CanaryReport);

/** What a dashboard knows of the canary. */
export type CanaryState = {
  /** The last report, whose ages are those of now. Undefined if this dashboard has heard none. */
  report: CanaryReport | undefined;
  /** From that report, or the start of the dashboard, to the last question, in ms; 0 if that was answered. */
  silentMs: number;
};

/** Knows what the canary reports. Its promises never reject. */
export class CanaryReader {
  readonly #url: URL;
  readonly #failures: FailureLog;
  #report: CanaryReport | undefined;
  #heardAt = performance.now();
  #silentMs = 0;
  /** The last question. */
  #question = Promise.resolve();

  constructor(canaryUrl: string, log: Pick<Logger, 'info' | 'warn'>) {
    this.#url = new URL('/health/rounds', canaryUrl);
    this.#failures = new FailureLog(log, {
      failed: 'The canary did not answer with its report',
      recovered: 'The canary answers with its report again',
    });
  }

  /** Asks the canary for its report. */
  ask(): Promise<CanaryState> {
    this.#question = this.#hear();
    return this.latest();
  }

  /** Returns what is known after the last question, without another one. */
  async latest(): Promise<CanaryState> {
    await this.#question;
    const ageMs = performance.now() - this.#heardAt;
    return { report: this.#report && olderBy(ageMs, this.#report), silentMs: this.#silentMs };
  }

  async #hear(): Promise<void> {
    try {
      this.#report = await readReport(this.#url);
      this.#heardAt = performance.now();
      this.#silentMs = 0;
      this.#failures.succeeded();
    } catch (error) {
      this.#silentMs = performance.now() - this.#heardAt;
      this.#failures.failed(error);
    }
  }
}

/** @throws Error if the canary does not answer in time, or not with a report. */
async function readReport(url: URL): Promise<CanaryReport> {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const report: unknown = await answer.json();
  if (!isReport(report)) throw new Error(`${url.href} answered ${answer.status} without a report`);
  return report;
}

function olderBy(ms: number, report: CanaryReport): CanaryReport {
  const older = <T extends { sinceMs: number }>(fault: T) => ({ ...fault, sinceMs: fault.sinceMs + ms });
  return {
    ...report,
    ways: report.ways.map(({ triedForMs, goodAgoMs, fault, ...way }) => ({
      ...way,
      triedForMs: triedForMs + ms,
      ...(goodAgoMs !== undefined && { goodAgoMs: goodAgoMs + ms }),
      ...(fault && { fault: older(fault) }),
    })),
    checks: report.checks.map(older),
    uptimeMs: report.uptimeMs + ms,
  };
}
