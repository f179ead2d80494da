import puppeteer, { type Browser } from 'puppeteer-core';
import { DOCUMENT } from '#services/label-worker/label/document.ts';
import { launchOptions, type OpenPrinter } from './printer.ts';

/** Chromium's own part and nothing else: two contexts whose pages stay, raw CDP, batches of 25, no split. */
export const open: OpenPrinter = async (chromiumPath) => {
  const browser = await puppeteer.launch({ ...launchOptions(chromiumPath), pipe: true });
  const idle = [await openPage(browser), await openPage(browser)];
  return {
    labelsPerPrint: 25,
    concurrency: idle.length,
    async print(labels) {
      const page = idle.pop();
      if (!page) throw new Error('More prints than pages');
      const size = await page(labels.join(''));
      idle.push(page);
      return size;
    },
    close: () => browser.close(),
  };
};

async function openPage(browser: Browser): Promise<(body: string) => Promise<number>> {
  const context = await browser.createBrowserContext();
  const cdp = await (await context.newPage()).createCDPSession();
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const frameId = frameTree.frame.id;
  await cdp.send('Page.setDocumentContent', { frameId, html: DOCUMENT });
  const { executionContextId } = await cdp.send('Page.createIsolatedWorld', { frameId });
  const run = (functionDeclaration: string, ...values: string[]) =>
    cdp.send('Runtime.callFunctionOn', {
      executionContextId,
      functionDeclaration,
      arguments: values.map((value) => ({ value })),
      awaitPromise: true,
    });
  await run('() => Promise.all([...document.fonts].map((face) => face.load())).then(() => {})');
  return async (body) => {
    await run('(html) => { document.body.innerHTML = html }', body);
    const { data } = await cdp.send('Page.printToPDF', { preferCSSPageSize: true, generateTaggedPDF: false });
    return data.length;
  };
}
