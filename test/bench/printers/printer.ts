import { DOCUMENT } from '#services/label-worker/label/document.ts';

/** A way to print labels, as measured: the product's rivals and the bare floor. */
export type Printer = {
  /** Labels in one call of `print`. */
  labelsPerPrint: number;
  /** Calls of `print` at a time. */
  concurrency: number;
  /** @param labels the HTML of each. @returns the size of the PDF. */
  print(labels: readonly string[]): Promise<number>;
  close(): Promise<unknown>;
};

/** @param chromiumPath the same Chromium for all. */
export type OpenPrinter = (chromiumPath: string) => Promise<Printer>;

/** A whole document with one label, for those that know no other way. */
export function documentOf(label: string): string {
  const [head, foot] = DOCUMENT.split('<body></body>');
  if (head === undefined || foot === undefined)
    throw new Error('The label document has no empty body any more');
  return `${head}<body>${label}</body>${foot}`;
}

export function launchOptions(executablePath: string) {
  const args = ['--font-render-hinting=none', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return { executablePath, headless: 'shell' as const, args };
}
