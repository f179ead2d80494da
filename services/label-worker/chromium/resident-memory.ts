import { readFile } from 'node:fs/promises';
import type { CDPSession } from 'puppeteer-core';

/** Size of a memory page of Linux on every machine that Chromium is built for, except a few of arm64. */
const PAGE_BYTES = 4_096;

/** Returns the resident memory of all processes of a Chromium, in bytes; 0 on systems other than Linux. */
export async function residentMemory(browser: CDPSession): Promise<number> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  const pages = await Promise.all(processInfo.map(({ id }) => residentPages(id)));
  return PAGE_BYTES * pages.reduce((sum, count) => sum + count, 0);
}

/** Returns the second number of proc_pid_statm(5); 0 when the process is gone. */
async function residentPages(pid: number): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(statm.split(' ')[1] ?? 0);
}
