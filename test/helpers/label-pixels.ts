import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type PdfPage = {
  /** Points, as the PDF says. */
  width: number;
  height: number;
  /** What an independent decoder reads from the page's pixels at 203 dpi. */
  qr: string[];
  code128: string[];
  text: string;
};

/** A label as a thermal printer and a hand scanner see it: pages turned into 203 dpi pixels and read back. */
export async function readLabel(pdf: Buffer): Promise<PdfPage[]> {
  return inFile(pdf, async (file) => {
    const pages: PdfPage[] = [];
    for (let page = 1; page <= (await countPages(file)); page++) pages.push(await readPage(file, page));
    return pages;
  });
}

/** Some pages of a label, by their number from 1, and how many it has. */
export async function readPages(pdf: Buffer, wanted: number[]): Promise<{ count: number; pages: PdfPage[] }> {
  return inFile(pdf, async (file) => {
    const pages: PdfPage[] = [];
    for (const page of wanted) pages.push(await readPage(file, page));
    return { count: await countPages(file), pages };
  });
}

async function inFile<T>(pdf: Buffer, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'label-'));
  try {
    const file = join(folder, 'label.pdf');
    await writeFile(file, pdf);
    return await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function countPages(file: string): Promise<number> {
  return Number(/Pages: +(\d+)/.exec((await run('pdfinfo', [file])).stdout)?.[1]);
}

async function readPage(file: string, page: number): Promise<PdfPage> {
  const only = ['-f', String(page), '-l', String(page)];
  const picture = `${file}-${page}`;
  const [info, text] = await Promise.all([
    run('pdfinfo', [...only, file]),
    run('pdftotext', ['-layout', ...only, file, '-']),
    run('pdftoppm', ['-r', '203', '-gray', '-png', '-singlefile', ...only, file, picture]),
  ]);
  const size = /size: +([\d.]+) x ([\d.]+)/.exec(info.stdout);
  const codes = await decode(`${picture}.png`);
  return {
    width: Number(size?.[1]),
    height: Number(size?.[2]),
    qr: codes.filter(({ type }) => type === 'QR-Code').map(({ value }) => value),
    code128: codes.filter(({ type }) => type === 'CODE-128').map(({ value }) => value),
    text: text.stdout,
  };
}

/** zbarimg prints `TYPE:value`, a line a code, and fails when it finds none. */
async function decode(picture: string): Promise<{ type: string; value: string }[]> {
  const { stdout } = await run('zbarimg', ['-q', picture]).catch(
    (error: { code?: number; stdout?: string }) => {
      if (error.code === 4) return { stdout: '' };
      throw error;
    },
  );
  return stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ type: line.slice(0, line.indexOf(':')), value: line.slice(line.indexOf(':') + 1) }));
}
