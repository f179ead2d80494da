import { execFileSync } from 'node:child_process';
import { pino } from 'pino';
import { PNG } from 'pngjs';
import { expect, vi } from 'vitest';
import { TRIAL } from '#services/label-worker/batching/trial-print.ts';
import { renderLabel } from '#services/label-worker/label/render-label.ts';
import { sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { pagesOf } from '#test/fixtures/labels/pictures.ts';
import { startTestBrowser, test } from '#test/fixtures/labels/printing-browser.ts';

const text = (pdf: Uint8Array) => execFileSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' });

test('a print shows its own body only, in the fonts that the service brings', async ({ printing }) => {
  await printing.printHtml('<p>first</p>');
  const pdf = await printing.printHtml('<p>second Ñandú Łódź <b>bold</b></p>');
  expect(text(pdf)).toContain('second Ñandú Łódź');
  expect(text(pdf)).not.toContain('first');
  const fonts = execFileSync('pdffonts', ['-'], { input: pdf, encoding: 'utf8' }).trim().split('\n').slice(2);
  expect(fonts.length).toBeGreaterThan(0);
  for (const font of fonts) expect(font).toMatch(/^\w{6}\+BarlowSemiCondensed-\w+ .* yes yes yes /);
});

const WHOLE_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>';
const BLACK = Object.assign(new PNG({ width: 90, height: 90 }), {
  data: Buffer.alloc(90 * 90 * 4).fill('000000ff', 'hex'),
});
const WHOLE_PNG = PNG.sync.write(BLACK);
const pictureOf = (type: string, content: string | Buffer) =>
  `<svg><image href="data:image/${type};base64,${Buffer.from(content).toString('base64')}" width="90" height="90"/></svg>`;

test.for<[string, string, told: number]>([
  ['an SVG without its namespace', pictureOf('svg+xml', WHOLE_SVG.replace(/ xmlns="[^"]*"/, '')), 1],
  ['a PNG that is cut', pictureOf('png', WHOLE_PNG.subarray(0, 40)), 1],
  ['an address outside', '<img src="http://127.0.0.1/x.png" width="90" height="90">', 1],
  ['a whole SVG', pictureOf('svg+xml', WHOLE_SVG), 0],
])(
  '%s in three prints: a broken picture leaves no sign of itself, and is told once',
  async ([_, picture, told]) => {
    const onBrokenPicture = vi.fn();
    const browser = await startTestBrowser({ onBrokenPicture });
    try {
      for (let print = 0; print < 3; print++) {
        const [page] = await pagesOf(
          await browser.printHtml(`<style>@page{size:4cm 4cm}</style>${picture}`),
          72,
        );
        expect(page?.pixels.some((grey) => grey < 255)).toBe(told === 0);
      }
      expect(onBrokenPicture).toHaveBeenCalledTimes(told);
    } finally {
      await browser.close();
    }
  },
);

test('a Chromium that does not start says which and why', async () => {
  const start = startTestBrowser({ executablePath: '/bin/false' });
  await expect(start).rejects.toThrow('Chromium did not start (/bin/false)');
});

test('a new Chromium tries each of its pages', async () => {
  const check = vi.fn(TRIAL.check);
  const browser = await startTestBrowser({ concurrency: 2, trial: { ...TRIAL, check } });
  await browser.close();
  expect(check).toHaveBeenCalledTimes(2);
});

/** A logger that keeps its lines. */
function keptLog() {
  const lines: string[] = [];
  return { lines, log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }) };
}

test('it is recycled after so many prints, and no print fails or waits for that', async () => {
  const { lines, log } = keptLog();
  const starts: string[] = [];
  const onStart = (reason: string) => void starts.push(reason);
  const another = await startTestBrowser({ concurrency: 2, maxUses: 10, recyclePauseMs: 0, onStart }, log);
  const printAll = async (name: string) => {
    for (let print = 0; print < 20; print++) {
      expect(text(await another.printHtml(`<p>${name} ${print}</p>`))).toContain(`${name} ${print}`);
    }
  };
  await Promise.all([printAll('one'), printAll('two')]);
  await another.close();
  expect(lines.filter((line) => line.includes('Recycling Chromium')).length).toBeGreaterThan(1);
  expect(lines.join()).not.toContain('"level":50');
  expect(starts.slice(0, 2)).toEqual(['start', 'recycled']);
  expect(starts).not.toContain('failed');
});

test('it is recycled when its memory has grown, by what its prints have left', async () => {
  const { lines, log } = keptLog();
  const limits = { maxGrowthBytes: 10 * 2 ** 20, recyclePauseMs: 0, healthIntervalMs: 500 };
  const another = await startTestBrowser(limits, log);
  const recycled = () => lines.filter((line) => line.includes('Recycling Chromium at')).length;
  const printed = renderLabel(sample()).html.repeat(25);
  await vi.waitFor(
    async () => {
      await another.printHtml(printed);
      expect(recycled()).toBeGreaterThan(0);
    },
    { timeout: 50_000, interval: 1 },
  );
  await another.close();
});

test.runIf(process.platform === 'linux')(
  'its memory is what it has for itself: not the program that all its processes share',
  async () => {
    const another = await startTestBrowser({ concurrency: 8 });
    await another.printHtml('<p>x</p>');
    const measured = () => expect(another.status().memoryBytes).toBeGreaterThan(50 * 2 ** 20);
    await vi.waitFor(measured, { timeout: 40_000 });
    expect(another.status().memoryBytes).toBeLessThan(500 * 2 ** 20); // resident: 1.2 GB
    await another.close();
  },
);

test('one that hangs is found and replaced, also when nothing prints', async () => {
  const { lines, log } = keptLog();
  const before = new Set(chromiumProcesses());
  const starts: string[] = [];
  const onStart = (reason: string) => void starts.push(reason);
  const another = await startTestBrowser({ healthIntervalMs: 2_000, onStart }, log);
  const group = chromiumProcesses().filter((pid) => !before.has(pid));
  expect(group.length).toBe(1);
  // The whole group: Debian's program is a shell script around the real one.
  process.kill(-Number(group[0]), 'SIGSTOP');
  await vi.waitFor(() => expect(lines.join()).toContain('Chromium failed, starting another'), {
    timeout: 40_000,
  });
  expect(text(await another.printHtml('<p>and on</p>'))).toContain('and on');
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
