import { inject } from 'vitest';
import { launchBrowser } from '../../services/label-worker/browser.ts';
import { DOCUMENT } from '../../services/label-worker/label-html.ts';
import { createLabelPrinter, type LabelPrinter } from '../../services/label-worker/label-printer.ts';
import { createLogger } from '../../shared/logger.ts';

/** A label printer on a Chromium of its own, without queue and health pages. */
export async function openLabelPrinter(): Promise<LabelPrinter & { close(): Promise<void> }> {
  const browser = await launchBrowser(
    {
      executablePath: inject('chromiumPath'),
      document: DOCUMENT,
      lanes: 2,
      timeoutMs: 20_000,
      healthMs: 20_000,
      printsEach: 10_000,
      memoryEach: Number.POSITIVE_INFINITY,
    },
    createLogger('test', 'silent'),
  );
  return { ...createLabelPrinter(browser, { lanes: 2, batchLabels: 50 }), close: () => browser.close() };
}
