import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { preview } from '#local/labels-preview.ts';
import { test } from '#test/fixtures/folder.ts';

/** `npm run labels:preview`. */

test('shows the labels of templates, or what is wrong with them', async ({ folder }) => {
  const [templates, out] = [join(folder, 'templates'), join(folder, 'out')];
  await mkdir(templates);
  const file = join(templates, 'medium.hbs');
  await copyFile('examples/templates/html/medium.hbs', file);
  /** Prints, and returns what is wrong and the page that says so. */
  const printed = async () => {
    const { index, problems } = await preview({ templates, out, executablePath: inject('chromiumPath') });
    return { problems, page: await readFile(index, 'utf8') };
  };
  const good = await printed();
  expect(good.problems).toEqual([]);
  expect(good.page).toContain('<a href="medium-usual.pdf" target="_blank"><img src="medium-usual.png"');
  expect(await readdir(out)).toEqual(expect.arrayContaining(['medium-usual.pdf', 'medium-usual.png']));

  await writeFile(file, (await readFile(file, 'utf8')).replace('destination.name', 'destination.nme'));
  await writeFile(join(templates, 'medum.hbs'), '');
  const bad = await printed();
  expect(bad.problems).toEqual([
    expect.stringContaining('there is no field "nme"'),
    expect.stringContaining('medum.hbs: this is not the name of a template'),
  ]);
  expect(bad.page).toContain('there is no field &quot;nme&quot;');
  expect(bad.page).not.toContain('<img');
});
