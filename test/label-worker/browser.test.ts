import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { launchBrowser, type PrintingBrowser } from '../../services/label-worker/browser.ts';
import { DOCUMENT } from '../../services/label-worker/label-html.ts';
import { createLogger } from '../../shared/logger.ts';

/** Stands for everything on the network that a label must not reach. */
const canary = createServer((request, response) => {
  requests.push(request.url);
  response.end();
});
const requests: (string | undefined)[] = [];
let address: string;
let browser: PrintingBrowser;
const log = createLogger('test', 'silent');
const options = {
  executablePath: inject('chromiumPath'),
  document: DOCUMENT,
  lanes: 1,
  timeoutMs: 10_000,
  printsEach: 1_000,
  memoryEach: 2 ** 30,
  healthMs: 500,
};
const text = (pdf: Uint8Array) => execFileSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' });

beforeAll(async () => {
  canary.listen(0, '127.0.0.1');
  await once(canary, 'listening');
  address = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`;
  browser = await launchBrowser(options, log);
});
afterAll(async () => {
  await browser.close();
  canary.close();
});

// The templates escape every field; here is HTML that got past them.
test.each([
  ['an image', '<img src="URL/image">'],
  ['a frame', '<iframe src="URL/frame"></iframe>'],
  ['a style sheet', '<link rel="stylesheet" href="URL/sheet"><style>@import "URL/import"</style>'],
  ['a font', '<style>@font-face{font-family:x;src:url(URL/font)}p{font-family:x}</style>'],
  ['a background', '<p style="background:url(URL/background)">x</p>'],
  ['a prefetch', '<link rel="preconnect" href="URL"><link rel="prefetch" href="URL/prefetch">'],
  ['an object', '<object data="URL/object"></object><embed src="URL/embed">'],
  ['an SVG', '<svg><image href="URL/svg"/><use href="URL/use#a"/></svg>'],
  ['a video', '<video src="URL/video" poster="URL/poster"></video>'],
])('%s in the document reaches no network', async (_, html) => {
  await browser.print(html.replaceAll('URL', address));
  await browser.print('<p>next</p>');
  expect(requests).toEqual([]);
});

test('a refresh in the document reaches no network, and Chromium prints on', async () => {
  const html = `<meta http-equiv="refresh" content="0;url=${address}/refresh"><p>x</p>`;
  await browser.print(html).catch(() => {});
  await browser.print('<p>next</p>').catch(() => {});
  expect(text(await browser.print('<p>and on</p>'))).toContain('and on');
  expect(requests).toEqual([]);
});

test('no script runs', async () => {
  const html = `<p id="here">before</p><img src="x" onerror="here.textContent='after'">
    <script>here.textContent='after'</script><svg onload="here.textContent='after'"></svg>`;
  await browser.print(html);
  expect(text(await browser.print(html)).trim()).toBe('before');
});

test('a print shows its own body only, in the fonts that the service brings', async () => {
  await browser.print('<p>first</p>');
  const pdf = await browser.print('<p>second Ñandú Łódź <b>bold</b></p>');
  expect(text(pdf)).toContain('second Ñandú Łódź');
  expect(text(pdf)).not.toContain('first');
  const fonts = execFileSync('pdffonts', ['-'], { input: pdf, encoding: 'utf8' }).trim().split('\n').slice(2);
  expect(fonts.length).toBeGreaterThan(0);
  for (const font of fonts) expect(font).toMatch(/^\w{6}\+BarlowSemiCondensed-\w+ .* yes yes yes /);
});

test('a Chromium that does not start says which and why', async () => {
  const launch = launchBrowser({ ...options, executablePath: '/bin/false' }, log);
  await expect(launch).rejects.toThrow('Chromium did not start (/bin/false)');
});

test('after it is closed it prints nothing more', async () => {
  const another = await launchBrowser(options, log);
  await another.close();
  await expect(another.print('<p>x</p>')).rejects.toMatchObject({ code: 'browser-failed' });
});

/** A logger that keeps its lines. */
function keptLog() {
  const lines: string[] = [];
  return { lines, log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }) };
}

test('it is replaced after so many prints, and no print fails or waits for that', async () => {
  const { lines, log } = keptLog();
  const another = await launchBrowser({ ...options, lanes: 2, printsEach: 10 }, log);
  const lane = async (name: string) => {
    for (let print = 0; print < 60; print++) {
      expect(text(await another.print(`<p>${name} ${print}</p>`))).toContain(`${name} ${print}`);
    }
  };
  await Promise.all([lane('one'), lane('two')]);
  await another.close();
  expect(lines.filter((line) => line.includes('replacing Chromium')).length).toBeGreaterThan(1);
  expect(lines.join()).not.toContain('"level":50');
});

test('it is replaced when it takes too much memory', async () => {
  const { lines, log } = keptLog();
  const another = await launchBrowser({ ...options, memoryEach: 1 }, log);
  await vi.waitFor(() => expect(lines.join()).toContain('replacing Chromium'), { timeout: 10_000 });
  expect(text(await another.print('<p>and on</p>'))).toContain('and on');
  await another.close();
});

test('one that hangs is found and replaced, also when nothing prints', async () => {
  const { lines, log } = keptLog();
  const before = new Set(chromiumProcesses());
  const another = await launchBrowser(options, log);
  const group = chromiumProcesses().filter((pid) => !before.has(pid));
  expect(group.length).toBe(1);
  // The whole group: Debian's program is a shell script around the real one.
  process.kill(-Number(group[0]), 'SIGSTOP');
  await vi.waitFor(() => expect(lines.join()).toContain('Chromium failed, starting another'), {
    timeout: 10_000,
  });
  expect(text(await another.print('<p>and on</p>'))).toContain('and on');
  await another.close();
  expect(chromiumProcesses().filter((pid) => !before.has(pid))).toEqual([]);
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
