import { setTimeout } from 'node:timers/promises';
import { wholeLabelHtml } from '#test/fixtures/labels/whole-label.ts';
import { newLabel } from '../load/guides.ts';
import { inParallel } from '../load/load.ts';
import { processTree } from '../system/process-tree.ts';
import type { OpenPrinter } from './printer.ts';
import type { Printed, Prints } from './start-printer.ts';

// A process for each printer, as a service of its own would be: `node run.ts <printer> <chromium>`. It prints
// as many labels as each message says, and answers with labels a second and with the ms of each print. The HTML is
// made before the clock runs.
const [name, chromiumPath = ''] = process.argv.slice(2);
const { open } = (await import(`./${name}.ts`)) as { open: OpenPrinter };
const printer = await open(chromiumPath);

process.on('disconnect', async () => {
  await Promise.race([printer.close(), setTimeout(5_000)]).catch(() => {});
  // What is left: a Chromium that was just starting, or one that its owner forgot.
  for (const { pid } of processTree(process.pid)) if (pid !== process.pid) kill(pid);
  process.exit();
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

process.on('message', async ({ count, alone }: Prints) => {
  try {
    const { labelsPerPrint, concurrency } = alone ? { labelsPerPrint: 1, concurrency: 1 } : printer;
    const prints = Array.from({ length: Math.ceil(count / labelsPerPrint) }, () =>
      Array.from({ length: labelsPerPrint }, () => wholeLabelHtml(newLabel())),
    );
    const { perSecond, latencies } = await inParallel(prints, concurrency, printer.print);
    process.send?.({ labelsPerSecond: perSecond * labelsPerPrint, latencies } satisfies Printed);
  } catch (error) {
    process.send?.({ failure: (error as Error).message });
  }
});
