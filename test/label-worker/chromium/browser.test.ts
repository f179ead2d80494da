import { execFileSync } from 'node:child_process';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { launchBrowser, type PrintingBrowser } from '#services/label-worker/chromium/browser.ts';
import { DOCUMENT } from '#services/label-worker/label/label-html.ts';
import { createLogger } from '#shared/observability/logger.ts';

let browser: PrintingBrowser;
const log = createLogger('test', 'silent');
const options = {
  executablePath: inject('chromiumPath'),
  document: DOCUMENT,
  lanes: 1,
  timeoutMs: 10_000,
  printsEach: 1_000,
  memoryEach: 2 ** 30,
  healthMs: 500,
};
const text = (pdf: Uint8Array) => execFileSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' });

beforeAll(async () => {
  browser = await launchBrowser(options, log);
});
afterAll(() => browser.close());

test('a print shows its own body only, in the fonts that the service brings', async () => {
  await browser.print('<p>first</p>');
  const pdf = await browser.print('<p>second Ñandú Łódź <b>bold</b></p>');
  expect(text(pdf)).toContain('second Ñandú Łódź');
  expect(text(pdf)).not.toContain('first');
  const fonts = execFileSync('pdffonts', ['-'], { input: pdf, encoding: 'utf8' }).trim().split('\n').slice(2);
  expect(fonts.length).toBeGreaterThan(0);
  for (const font of fonts) expect(font).toMatch(/^\w{6}\+BarlowSemiCondensed-\w+ .* yes yes yes /);
});

test('a Chromium that does not start says which and why', async () => {
  const launch = launchBrowser({ ...options, executablePath: '/bin/false' }, log);
  await expect(launch).rejects.toThrow('Chromium did not start (/bin/false)');
});

test('after it is closed it prints nothing more', async () => {
  const another = await launchBrowser(options, log);
  await another.close();
  await expect(another.print('<p>x</p>')).rejects.toMatchObject({ code: 'browser-failed' });
});

/** A logger that keeps its lines. */
function keptLog() {
  const lines: string[] = [];
  return { lines, log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }) };
}

test('it is replaced after so many prints, and no print fails or waits for that', async () => {
  const { lines, log } = keptLog();
  const starts: string[] = [];
  const observer = { starting: (reason: string) => void starts.push(reason), phase() {} };
  const another = await launchBrowser({ ...options, lanes: 2, printsEach: 10 }, log, observer);
  const lane = async (name: string) => {
    for (let print = 0; print < 60; print++) {
      expect(text(await another.print(`<p>${name} ${print}</p>`))).toContain(`${name} ${print}`);
    }
  };
  await Promise.all([lane('one'), lane('two')]);
  await another.close();
  expect(lines.filter((line) => line.includes('replacing Chromium')).length).toBeGreaterThan(1);
  expect(lines.join()).not.toContain('"level":50');
  expect(starts.slice(0, 2)).toEqual(['start', 'worn']);
  expect(starts).not.toContain('failed');
});

test('it is replaced when it takes too much memory', async () => {
  const { lines, log } = keptLog();
  const another = await launchBrowser({ ...options, memoryEach: 1 }, log);
  await vi.waitFor(() => expect(lines.join()).toContain('replacing Chromium'), { timeout: 10_000 });
  expect(text(await another.print('<p>and on</p>'))).toContain('and on');
  await another.close();
});

test('one that hangs is found and replaced, also when nothing prints', async () => {
  const { lines, log } = keptLog();
  const before = new Set(chromiumProcesses());
  const starts: string[] = [];
  const observer = { starting: (reason: string) => void starts.push(reason), phase() {} };
  const another = await launchBrowser(options, log, observer);
  const group = chromiumProcesses().filter((pid) => !before.has(pid));
  expect(group.length).toBe(1);
  // The whole group: Debian's program is a shell script around the real one.
  process.kill(-Number(group[0]), 'SIGSTOP');
  await vi.waitFor(() => expect(lines.join()).toContain('Chromium failed, starting another'), {
    timeout: 10_000,
  });
  expect(text(await another.print('<p>and on</p>'))).toContain('and on');
  await another.close();
  expect(chromiumProcesses().filter((pid) => !before.has(pid))).toEqual([]);
  expect(starts).toEqual(['start', 'failed']);
});

/** The Chromiums that this process started: its children that lead a group of their own. */
function chromiumProcesses(): number[] {
  const rows = execFileSync('ps', ['-o', 'pid=,pgid=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  });
  return rows
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
    .filter(([pid, group, program]) => pid && pid === group && program !== 'ps')
    .map(([pid]) => Number(pid));
}
