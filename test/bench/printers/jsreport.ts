import { peer } from './peers.ts';
import { documentOf, launchOptions, type OpenPrinter } from './printer.ts';

/** The part of jsreport that is used here (its README, "Quick example"). */
type Reporter = {
  use(extension: unknown): void;
  init(): Promise<void>;
  render(request: object): Promise<{ content: Uint8Array }>;
  close(): Promise<void>;
};

/** Puppeteer's own, which jsreport hands on: the same print as the others'. */
const chrome = { preferCSSPageSize: true, printBackground: false, tagged: false };

export const open: OpenPrinter = async (chromiumPath) => {
  const reporter = peer<(options: object) => Reporter>('@jsreport/jsreport-core')({
    discover: false,
    store: { provider: 'memory' },
    logger: { silent: true },
    workers: { numberOfWorkers: 2 },
    chrome: { strategy: 'chrome-pool', numberOfWorkers: 2, launchOptions: launchOptions(chromiumPath) },
  });
  reporter.use(peer<() => unknown>('@jsreport/jsreport-chrome-pdf')());
  await reporter.init();
  return {
    labelsPerPrint: 1,
    concurrency: 4,
    async print([label = '']) {
      const { content } = await reporter.render({
        template: { content: documentOf(label), engine: 'none', recipe: 'chrome-pdf', chrome },
      });
      return content.length;
    },
    close: () => reporter.close(),
  };
};
