import puppeteer from 'puppeteer-core';
import { documentOf, launchOptions, type OpenPrinter } from './printer.ts';

/** What most tutorials show: a page for each label, four at a time. */
export const open: OpenPrinter = async (chromiumPath) => {
  const browser = await puppeteer.launch(launchOptions(chromiumPath));
  return {
    labelsPerPrint: 1,
    concurrency: 4,
    async print([label = '']) {
      const page = await browser.newPage();
      await page.setContent(documentOf(label), { waitUntil: 'load' });
      const pdf = await page.pdf({ preferCSSPageSize: true, tagged: false });
      await page.close();
      return pdf.length;
    },
    close: () => browser.close(),
  };
};
