import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
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
  const folder = await mkdtemp(join(tmpdir(), 'label-'));
  try {
    const file = join(folder, 'label.pdf');
    await writeFile(file, pdf);
    await run('pdftoppm', ['-r', '203', '-gray', '-png', file, join(folder, 'page')]);
    const { stdout: info } = await run('pdfinfo', ['-f', '1', '-l', '999', file]);
    const sizes = [...info.matchAll(/Page +\d+ size: +([\d.]+) x ([\d.]+)/g)];
    const pictures = (await readdir(folder)).filter((name) => name.endsWith('.png')).sort();
    return await Promise.all(
      pictures.map(async (picture, index) => {
        const page = String(index + 1);
        const codes = await decode(join(folder, picture));
        const { stdout: text } = await run('pdftotext', ['-layout', '-f', page, '-l', page, file, '-']);
        return {
          width: Number(sizes[index]?.[1]),
          height: Number(sizes[index]?.[2]),
          qr: codes.filter(({ type }) => type === 'QR-Code').map(({ value }) => value),
          code128: codes.filter(({ type }) => type === 'CODE-128').map(({ value }) => value),
          text,
        };
      }),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
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
