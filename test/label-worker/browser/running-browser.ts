import { pino } from 'pino';
import { startPrintingBrowser } from '#services/label-worker/browser/printing-browser.ts';

/** A program for `temporary-folder.test.ts`: starts the browser that prints, says so, and closes it when told to. */
const browser = await startPrintingBrowser(
  {
    executablePath: process.argv[2] ?? '',
    sandboxRequired: false,
    document: '<!doctype html><body></body>',
    concurrency: 1,
    printTimeoutMs: 20_000,
  },
  pino({ level: 'silent' }),
);
process.send?.('started');
process.once('message', async () => {
  await browser.close();
  process.disconnect();
});
