import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PREVIEW_CASES } from './preview-cases.ts';
import { openPreview } from './preview-labels.ts';
import { previewPage } from './preview-page.ts';

/**
 * Prints every preview case as PDF and PNG into `folder`, with a page that shows them side by side.
 *
 * @param templates the folder of the templates that print them.
 * @param executablePath Chromium's.
 * @returns the path of the page.
 * @throws when a template is wrong, with its file and line.
 */
export async function printPreview(
  folder: string,
  templates: string,
  executablePath: string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const labels = await openPreview(templates, executablePath);
  try {
    if (labels.problems[0]) throw new Error(labels.problems.map(({ message }) => message).join('\n'));
    for (const { name } of PREVIEW_CASES) {
      await writeFile(join(folder, `${name}.pdf`), await labels.pdf(name));
      await writeFile(join(folder, `${name}.png`), await labels.png(name));
    }
    const index = join(folder, 'index.html');
    await writeFile(index, previewPage(labels, { templates }));
    return index;
  } finally {
    await labels.close();
  }
}
