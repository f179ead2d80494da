import { Ajv } from 'ajv';
import { CanaryReport } from '#shared/canary/report.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';

/** Longest wait for the canary, in ms: a canary that hangs delays the page no longer. */
const TIMEOUT_MS = 1_000;

const isReport = new Ajv().compile<CanaryReport>(CanaryReport);

/** What a dashboard knows of the canary. */
export type CanaryState = {
  /** The last report, whose ages are those of now. Undefined if this dashboard has heard none. */
  report: CanaryReport | undefined;
  /** Time since then in ms, or since the dashboard started. */
  silentMs: number;
};

/** Returns a function that asks the canary at `canaryUrl` for its report. The function never rejects. */
export function canaryReader(
  canaryUrl: string,
  log: Pick<Logger, 'info' | 'warn'>,
): () => Promise<CanaryState> {
  const url = new URL('/health/rounds', canaryUrl);
  const failures = new FailureLog(log, {
    failed: 'The canary did not answer with its report',
    recovered: 'The canary answers with its report again',
  });
  let report: CanaryReport | undefined;
  let heardAt = performance.now();
  return async () => {
    try {
      report = await readReport(url);
      heardAt = performance.now();
      failures.succeeded();
    } catch (error) {
      failures.failed(error);
    }
    const silentMs = performance.now() - heardAt;
    return { report: report && olderBy(silentMs, report), silentMs };
  };
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
