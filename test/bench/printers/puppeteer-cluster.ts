import puppeteer, { type Page } from 'puppeteer-core';
import { peer } from './peers.ts';
import { documentOf, launchOptions, type OpenPrinter } from './printer.ts';

/** The part of puppeteer-cluster that is used here (its README, "API"). */
type Module = {
  Cluster: {
    CONCURRENCY_PAGE: number;
    launch(options: object): Promise<{
      execute(html: string, task: (job: { page: Page; data: string }) => Promise<number>): Promise<number>;
      close(): Promise<void>;
    }>;
  };
};

export const open: OpenPrinter = async (chromiumPath) => {
  const { Cluster } = peer<Module>('puppeteer-cluster');
  const cluster = await Cluster.launch({
    puppeteer,
    concurrency: Cluster.CONCURRENCY_PAGE, // the fastest of its models: the pages share a browser
    maxConcurrency: 2,
    puppeteerOptions: launchOptions(chromiumPath),
  });
  return {
    labelsPerPrint: 1,
    concurrency: 4, // two wait, so that no worker is ever idle
    print: ([label = '']) =>
      cluster.execute(documentOf(label), async ({ page, data }) => {
        await page.setContent(data, { waitUntil: 'load' });
        return (await page.pdf({ preferCSSPageSize: true, tagged: false })).length;
      }),
    close: () => cluster.close(),
  };
};
