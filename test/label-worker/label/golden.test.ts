import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { expect } from 'vitest';
import { LABEL_KINDS } from '#shared/labels/label-kinds.ts';
import type { LabelPayload } from '#shared/labels/label-payload.ts';
import { TEMPLATE_VERSION } from '#shared/printing/label-job.ts';
import { LABEL_CASES } from '#test/fixtures/labels/label-cases.ts';
import { test } from '#test/fixtures/labels/label-printing.ts';
import { type Picture, pagesOf } from '#test/fixtures/labels/pictures.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';

/**
 * What labels look like, kept as pictures. `UPDATE_GOLDEN=1 npm test -- test/label-worker/label/golden` accepts how they
 * look now; a test that fails leaves the new picture and the difference in `.local/golden/`.
 */

const GOLDEN = join(import.meta.dirname, 'golden');
const UPDATE = Boolean(process.env.UPDATE_GOLDEN);
/** Labels of a thermal head as it prints them, letters as a screen shows them: enough to see, and small files. */
const dpiOf = ({ kind }: LabelPayload) => (kind === 'letter' ? 72 : 203.2);
const SHOWN = [
  ...['letter-usual', 'letter-logo', 'letter-long', 'letter-return-address', 'letter-long-return-address'],
  ...['medium-usual', 'medium-logo', 'medium-long', 'medium-scripts', 'medium-alphabets'],
  ...['medium-return-address', 'medium-long-return-address'],
  ...['small-usual', 'small-long', 'small-scripts'],
  ...LABEL_KINDS.flatMap((kind) => [
    `${kind}-pick-up`,
    `${kind}-longest`,
    `${kind}-test`,
    `${kind}-marked`,
    `${kind}-return`,
  ]),
];
/**
 * Share of pixels that may differ: other versions of poppler and FreeType draw the edges of letters otherwise. A
 * comma less is 10 pixels of 600 000; a line that moved by half a millimetre is 2 000.
 */
const TOLERANCE = 0.0005;

test('every picture is of a label that is compared, and every label to compare is a case', () => {
  const pictures = readdirSync(GOLDEN).filter((name) => name.endsWith('.png'));
  expect(pictures.toSorted()).toEqual(SHOWN.map((name) => `${name}.png`).toSorted());
  expect(LABEL_CASES.map(({ name }) => name)).toEqual(expect.arrayContaining(SHOWN));
});

test.for(LABEL_CASES.filter(({ name }) => SHOWN.includes(name)))(
  '$name looks as it did',
  async (shown, { printer }) => {
    const [page] = await pagesOf(await printer.print(shown.label), dpiOf(shown.label));
    const now = toPng(page as Picture);
    const path = join(GOLDEN, `${shown.name}.png`);
    if (UPDATE) return writeFileSync(path, PNG.sync.write(now, { colorType: 0 }));
    const golden = PNG.sync.read(readFileSync(path));
    expect([now.width, now.height]).toEqual([golden.width, golden.height]);
    const difference = new PNG(now);
    // Colour distance of a tenth: a shade of grey at the edge of a letter is none.
    const different = pixelmatch(golden.data, now.data, difference.data, now.width, now.height, {
      threshold: 0.1,
    });
    if (different > TOLERANCE * now.width * now.height) {
      mkdirSync('.local/golden', { recursive: true });
      writeFileSync(`.local/golden/${shown.name}.png`, PNG.sync.write(now));
      writeFileSync(`.local/golden/${shown.name}-difference.png`, PNG.sync.write(difference));
    }
    expect(different).toBeLessThanOrEqual(TOLERANCE * now.width * now.height);
  },
);

function toPng({ width, height, pixels }: Picture): PNG {
  const png = new PNG({ width, height });
  for (const [i, grey] of pixels.entries()) png.data.set([grey, grey, grey, 255], i * 4);
  return png;
}

test('the sources of labels change with TEMPLATE_VERSION only', () => {
  const worker = new URL('../../../services/label-worker/', import.meta.url);
  const files = (folder: string) =>
    readdirSync(new URL(folder, worker), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
      .map(({ parentPath, name }) => relative(fileURLToPath(worker), join(parentPath, name)));
  const ofDocuments = repositoryFiles.filter((path) =>
    /^shared\/(?!pages)[\w-]+\/[\w-]+(?:\.hbs|-view\.ts)$/.test(path),
  );
  const shared = [
    ...[
      ...['documents/printed-texts.ts', 'guides/plain-words.ts'],
      ...['labels/label-charset.ts', 'pdf/pdfium.ts'],
    ].map((name) => `shared/${name}`),
    ...ofDocuments,
  ].map((path) => `../../${path}`);
  const sources = [
    ...files('label'),
    ...['bitmap', 'png', 'thread', 'zpl'].map((name) => `images/${name}.ts`),
    ...['drawing.ts', 'pdf/content-streams.ts', ...shared],
  ].sort();
  const hash = createHash('sha256');
  for (const source of sources) hash.update(source).update(readFileSync(new URL(source, worker)));
  const now = `${TEMPLATE_VERSION} ${hash.digest('hex')}\n`;
  const path = join(GOLDEN, 'template-version');
  const then = readFileSync(path, 'utf8');
  if (UPDATE && then.split(' ')[0] !== TEMPLATE_VERSION) return writeFileSync(path, now);
  expect(
    now,
    'Raise TEMPLATE_VERSION (shared/printing/label-job.ts), or labels of the old look are served from the cache; then UPDATE_GOLDEN=1',
  ).toBe(then);
});
