import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PNG } from 'pngjs';
import { describe, expect, inject } from 'vitest';
import { DOCUMENT } from '#services/label-worker/label/document.ts';
import { test as browserTest } from '#test/fixtures/browser.ts';
import { startTestBrowser } from '#test/fixtures/labels/printing-browser.ts';

/**
 * The browser that prints, handed HTML that nobody escaped: as the body of a print, and as the document itself, without
 * the label's policy. It reaches no network and no file, and runs no script. That each piece of HTML would do its
 * harm is proved in a browser as people have it.
 */

/** `//HOST` is the canary over TCP, whatever is spoken there; `stun:HOST` is the one over UDP. */
const CALLS: Record<string, string> = {
  'an image over http': '<img src="http://HOST/a">',
  'an image over https': '<img src="https://HOST/a">',
  'a frame': '<iframe src="http://HOST/a"></iframe>',
  'a frame with a document of its own': '<iframe srcdoc="<img src=http://HOST/a>"></iframe>',
  'an object': '<object data="http://HOST/a"></object>',
  'a video': '<video src="http://HOST/a"></video>',
  'a style sheet': '<link rel=stylesheet href="http://HOST/a">',
  'a preload': '<link rel=preload as=image href="http://HOST/a">',
  'an imported style': '<style>@import "http://HOST/a";</style>',
  'a font': '<style>@font-face{font-family:q;src:url(http://HOST/a)}p{font-family:q}</style><p>q</p>',
  'a background': '<p style="background:url(http://HOST/a)">x</p>',
  'an image in an SVG': '<svg><image href="http://HOST/a"/></svg>',
  'an image in a filter':
    '<svg><filter id=f><feImage href="http://HOST/a"/></filter><rect filter="url(#f)" width=9 height=9 /></svg>',
  'a base': '<base href="http://HOST/"><img src=a>',
  'a refresh': '<meta http-equiv=refresh content="0;url=http://HOST/a">',
  'a script': '<script src="http://HOST/a"></script>',
  'fetch()': '<script>fetch("http://HOST/a")</script>',
  'a WebSocket': '<script>new WebSocket("ws://HOST/a")</script>',
  'a beacon': '<script>navigator.sendBeacon("http://HOST/a")</script>',
  'a worker': '<script>new Worker(URL.createObjectURL(new Blob([`fetch("http://HOST/a")`])))</script>',
  'a form': '<form action="http://HOST/a"></form><script>document.forms[0].submit()</script>',
  'an event': '<img src=x: onerror="fetch(`http://HOST/a`)">',
  'an address that is a script': '<iframe src="javascript:fetch(`http://HOST/a`)"></iframe>',
  'another window': '<script>open("http://HOST/a")</script>',
  WebRTC:
    '<script>const c = new RTCPeerConnection({iceServers:[{urls:"stun:HOST"}]});' +
    'c.createDataChannel("x"); c.createOffer().then((offer) => c.setLocalDescription(offer))</script>',
};
/** Today's Chromium asks nobody for these where they stand alone; the next one may. */
const QUIET = `<link rel=preconnect href="http://HOST"><link rel=dns-prefetch href="http://HOST">
  <link rel=icon href="http://HOST/a"><link rel=manifest href="http://HOST/a"><svg><use href="http://HOST/a#x"/></svg>
  <p style="filter:url(http://HOST/a#m);border-image:url(http://HOST/a) 1">x</p><a href="http://HOST/a" ping="http://HOST/p">x</a>
  <video src="data:video/mp4,x"><track default src="http://HOST/a"></video><form action="http://HOST/a"><button autofocus></form>`;
const EVERYTHING = [...Object.values(CALLS), QUIET].join('\n');

/** Stands for everything on the network: whoever connects to it, or sends it a packet, is counted. */
async function openCanary() {
  let hits = 0;
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    hits++;
    sockets.add(socket.on('error', () => {}));
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  }).listen(0, '127.0.0.1');
  const udp = createSocket('udp4', () => hits++).bind(0, '127.0.0.1');
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
  return {
    hits: () => hits,
    /** The HTML with its addresses for HOST. */
    aim: (html: string) =>
      html
        .replaceAll('//HOST', `//127.0.0.1:${(tcp.address() as AddressInfo).port}`)
        .replaceAll('stun:HOST', `stun:127.0.0.1:${udp.address().port}`),
    close() {
      for (const socket of sockets) socket.destroy();
      tcp.close();
      udp.close();
    },
  };
}

const test = browserTest
  /** One for each test: pages go on trying for a while. */
  .extend('canary', async ({}, { onCleanup }) => {
    const canary = await openCanary();
    onCleanup(() => canary.close());
    return canary;
  });

/** The trial label needs the styles and fonts of our own document. */
const trial = { body: '', check() {} };
const launch = (document: string, executablePath = inject('chromiumPath')) =>
  startTestBrowser({ document, executablePath, trial });

const textOf = (pdf: Uint8Array) => execFileSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' });

/** Prints each of these after the other. One that leads the page away may fail; the browser then goes on. */
async function printAll(document: string, bodies: string[]): Promise<string> {
  const printing = await launch(document);
  try {
    let text = '';
    for (const body of [...bodies, '<p>next</p>', '<p>next</p>', '<p>and on</p>']) {
      const pdf = await printing.printHtml(body).catch(() => undefined);
      if (pdf) text += textOf(pdf);
    }
    return text;
  } finally {
    // What it would still have sent later it now sends no more.
    await printing.close();
  }
}

describe('the network', () => {
  test.for(Object.entries(CALLS))(
    'is called by an ordinary browser for %s',
    async ([_, html], { browser, canary }) => {
      const page = await browser.newPage();
      // Some lead the page away, and then these do not end.
      void page.setContent(canary.aim(html)).catch(() => {});
      await expect.poll(() => canary.hits()).toBeGreaterThan(0);
      void page.close().catch(() => {});
    },
  );

  test('is not called by the body of a print, piece by piece or all at once', async ({ canary }) => {
    const bodies = [...Object.values(CALLS), QUIET, EVERYTHING].map(canary.aim);
    expect(await printAll(DOCUMENT, bodies)).toContain('and on');
    expect(canary.hits()).toBe(0);
  });

  test('is not called by a body where the document has no policy', async ({ canary }) => {
    const bodies = [...Object.values(CALLS), QUIET, EVERYTHING].map(canary.aim);
    expect(await printAll('<!doctype html><body></body>', bodies)).toContain('and on');
    expect(canary.hits()).toBe(0);
  });

  test('is not called by a document, where scripts would run', async ({ canary }) => {
    // The page would go away at once, and a browser whose document has a font that does not load does not start.
    const { 'a refresh': _, 'a font': __, ...staying } = CALLS;
    for (const head of [[...Object.values(staying), QUIET].join('\n'), CALLS['a base'] ?? '']) {
      expect(await printAll(`<!doctype html>${canary.aim(head)}<body></body>`, ['<p>x</p>'])).toContain(
        'and on',
      );
      expect(canary.hits()).toBe(0);
    }
  });

  test('gets no DNS query', async ({ folder }) => {
    // Chromium's own record of all that it does on the network: names are asked of the system, not of a canary.
    const record = join(folder, 'network.json');
    const recording = join(folder, 'chromium');
    await writeFile(
      recording,
      `#!/bin/sh\nexec ${inject('chromiumPath')} "$@" --log-net-log=${record} --net-log-capture-mode=Everything\n`,
    );
    await chmod(recording, 0o755);
    const html = `<link rel=dns-prefetch href="//prefetch.invalid"><link rel=preconnect href="//connect.invalid">
      <img src="http://image.invalid/x"><iframe src="https://frame.invalid/x"></iframe>`;
    const printing = await launch(`<!doctype html>${html}<body></body>`, recording);
    await printing.printHtml(html);
    // It did record that the document wanted something. Chromium writes its record a little later.
    await expect.poll(async () => (await readRecord(record)).kinds).toContain('HTTP_STREAM_REQUEST');
    await printing.close();
    const { names, kinds } = await readRecord(record);
    expect(names).toEqual([]);
    for (const kind of [
      'HOST_RESOLVER_SYSTEM_TASK',
      'DNS_TRANSACTION',
      'UDP_BYTES_SENT',
      'SOCKET_BYTES_SENT',
    ]) {
      expect(kinds).not.toContain(kind);
    }
  });
});

/** Names that a resolver was asked for, and the kinds of events. Chromium was ended, so the last line may be cut. */
async function readRecord(file: string): Promise<{ names: string[]; kinds: string[] }> {
  const [head = '', ...lines] = (await readFile(file, 'utf8')).split('\n');
  const { logEventTypes } = JSON.parse(`${head.replace(/,\s*$/, '')}}`).constants;
  const kindOf = new Map(Object.entries(logEventTypes).map(([name, type]) => [type, name]));
  const events = lines.flatMap((line) => {
    const text = line.replace(/,\s*$/, '');
    return text.startsWith('{') && text.endsWith('}') ? [JSON.parse(text)] : [];
  });
  const names = events
    .filter(({ type }) => kindOf.get(type)?.startsWith('HOST_RESOLVER'))
    .map(({ params }) => params?.host)
    .filter((host) => host?.includes('.invalid'));
  return { names, kinds: [...new Set(events.map(({ type }) => kindOf.get(type) ?? ''))] };
}

describe('files of the machine', () => {
  const SECRET = 'read from a file';
  /** `FILE` is an address in front of `.html`, `.png` and so on. */
  const html = `<iframe src="FILE.html" width=300></iframe><object data="FILE.html" width=300></object>
    <embed src="FILE.html" width=300><img src="FILE.png"><link rel=stylesheet href="FILE.css"><p class=file>p</p>
    <style>@import "FILE.css";</style><p style="content:url(FILE.png)">x</p><svg><image href="FILE.png" width=9 height=9 /></svg>`;
  test.beforeAll(async ({ folder }) => {
    const picture = new PNG({ width: 41, height: 23 });
    picture.data.fill(255);
    await writeFile(join(folder, 'file.html'), SECRET);
    await writeFile(join(folder, 'file.css'), `.file::after{content:"${SECRET}"}`);
    await writeFile(join(folder, 'file.png'), PNG.sync.write(picture));
  });
  const filled = (folder: string) => html.replaceAll('FILE', pathToFileURL(join(folder, 'file')).href);
  const shownIn = (pdf: Uint8Array) =>
    textOf(pdf).includes(SECRET) ||
    execFileSync('pdfimages', ['-list', '-'], { input: pdf, encoding: 'utf8' }).includes(' 41 ');

  test('are shown by an ordinary browser in a page from a file', async ({ browser, folder }) => {
    const path = join(folder, 'page.html');
    await writeFile(path, `<!doctype html>${filled(folder)}`);
    const page = await browser.newPage();
    await page.goto(pathToFileURL(path).href, { waitUntil: 'networkidle0' });
    expect(shownIn(await page.pdf())).toBe(true);
    await page.close();
  });

  test.for([
    ['the body of a print', DOCUMENT, true],
    ['a body where the document has no policy', '<!doctype html><body></body>', true],
    ['a document', undefined, false],
  ] as const)('are not shown by %s', async ([_, document, inBody], { folder }) => {
    const printing = await launch(document ?? `<!doctype html>${filled(folder)}<body></body>`);
    try {
      for (let print = 0; print < 2; print++) {
        expect(shownIn(await printing.printHtml(inBody ? filled(folder) : '<p>x</p>'))).toBe(false);
      }
      const away = `<meta http-equiv=refresh content="0;url=${pathToFileURL(join(folder, 'file.html'))}">`;
      await printing.printHtml(away).catch(() => {});
      for (let print = 0; print < 2; print++) {
        const pdf = await printing.printHtml('<p>x</p>').catch(() => undefined);
        if (pdf) expect(shownIn(pdf)).toBe(false);
      }
    } finally {
      await printing.close();
    }
  });
});

describe('a script', () => {
  const WAYS: Record<string, string> = {
    'an element': '<script>RUN</script>',
    'an event of an image': '<img src="x:" onerror="RUN">',
    'an event of an SVG': '<svg onload="RUN"></svg>',
    'a frame': '<iframe srcdoc="<script>parent.eval(`RUN`)</script>"></iframe>',
    'an address': '<iframe src="javascript:parent.eval(`RUN`)"></iframe>',
    'an animation': '<svg><animate onbegin="RUN" attributeName=x dur=1s></svg>',
  };
  const running = (way: string) => way.replace('RUN', 'document.title=1337');

  test.for(Object.entries(WAYS))('is run by an ordinary browser for %s', async ([_, way], { browser }) => {
    const page = await browser.newPage();
    await page.setContent(running(way));
    await page.waitForFunction('document.title === "1337"');
    await page.close();
  });

  test('is run neither in a body nor in a document', async () => {
    const all = Object.values(WAYS).map(running).join('\n');
    const printing = await launch(`<!doctype html><title>untouched</title>${all}<body>${all}</body>`);
    try {
      for (const body of [...Object.values(WAYS).map(running), all, '<p>x</p>']) {
        const info = execFileSync('pdfinfo', ['-'], {
          input: await printing.printHtml(body),
          encoding: 'utf8',
        });
        expect(info).toMatch(/^Title: +untouched$/m);
      }
    } finally {
      await printing.close();
    }
  });
});
