import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { inject } from 'vitest';

/** A browser as a person has it, for our pages; not the one that prints. */
export function openBrowser(): Promise<Browser> {
  // Root has no use of Chromium's sandbox, and the pages here are our own.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  // As the one that prints, so that letters have their widths.
  const args = [...sandbox, '--font-render-hinting=none'];
  return puppeteer.launch({ executablePath: inject('chromiumPath'), headless: 'shell', args });
}

/** Keeps what the page looks like, for a person to see, under `.local/screenshots/`. */
export async function screenshot(page: Page, name: string): Promise<Uint8Array> {
  const path = `.local/screenshots/${name}.png` as const;
  await mkdir(dirname(path), { recursive: true });
  return page.screenshot({ path });
}
