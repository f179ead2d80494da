import { readFile } from 'node:fs/promises';
import type { CDPSession } from 'puppeteer-core';

/** Linux counts in pages of 4 KiB on every machine that Chromium is built for but a few of arm64. */
const PAGE_BYTES = 4_096;

/** Resident memory of all processes of a Chromium, in bytes; 0 where the system does not tell (only Linux does). */
export async function residentMemory(browser: CDPSession): Promise<number> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  const pages = await Promise.all(processInfo.map(({ id }) => residentPages(id)));
  return PAGE_BYTES * pages.reduce((sum, count) => sum + count, 0);
}

/** proc_pid_statm(5): the second number. */
async function residentPages(pid: number): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(statm.split(' ')[1] ?? 0);
}
