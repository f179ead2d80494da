import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { pino } from 'pino';
import { startPrintingBrowser } from '#services/label-worker/browser/printing-browser.ts';

/**
 * A program for `sandbox.namespaces.ts`: prints once, as whoever runs it, and writes what it found as one line of JSON.
 * Its arguments are the path of Chromium and, where a sandbox is required, `required`.
 */
const log: object[] = [];
const browser = await startPrintingBrowser(
  {
    executablePath: process.argv[2] ?? '',
    sandboxRequired: process.argv[3] === 'required',
    document: '<!doctype html><body></body>',
    concurrency: 1,
    printTimeoutMs: 20_000,
    maxUses: 1,
    recyclePauseMs: 0,
  },
  pino({ level: 'warn' }, { write: (line: string) => void log.push(JSON.parse(line)) }),
);
const before = new Set(chromiums());
await browser.printHtml('<p>x</p>');
// Its successor starts as the first one did, and says nothing more.
while (chromiums().every((group) => before.has(group)))
  await new Promise((resolve) => setTimeout(resolve, 20));
const bytes = (await browser.printHtml('<p>x</p>')).length;
const found = { uid: process.getuid?.(), bytes, log, renderers: renderers() };
await browser.close();
process.stdout.write(`${JSON.stringify(found)}\n`);

type Process = { pid: string; parent: string; group: string; command: string };

function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, parent = '', group = ''] =
          readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
        return [{ pid, parent, group, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }];
      } catch {
        return []; // ended meanwhile
      }
    });
}

/** The process groups of our Chromiums. */
function chromiums(): string[] {
  return processes()
    .filter(({ parent, pid, group }) => parent === String(process.pid) && pid === group)
    .map(({ pid }) => pid);
}

/** What the system lets the processes do in which documents are drawn: none of ours has a filter or namespaces. */
function renderers() {
  const groups = new Set(chromiums());
  return processes()
    .filter(({ group, command }) => groups.has(group) && command.includes('--type=renderer'))
    .map(({ pid }) => ({
      seccomp: /^Seccomp:\s+(\d)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
      ownNetwork: readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net'),
    }));
}
