/** A row of the table. The first limits are the goal, the second what a release must never fall below. */
export type Target = {
  id: string;
  what: string;
  unit: string;
  better: 'more' | 'less';
  target?: number;
  never?: number;
};

const row = (
  id: string,
  what: string,
  unit: string,
  better: Target['better'],
  ...[target, never]: number[]
): Target => ({ id, what, unit, better, ...(target && { target }), ...(never && { never }) });

/** Creations beside requests of another account, and the event loop meanwhile. */
const beside = (name: string, what: string) => [
  row(`create-beside-${name}-p99`, `… beside ${what}, p99`, 'ms', 'less', 100),
  row(`${name}-stall`, '… the longest stall', 'ms', 'less', 100),
];

export const TARGETS: readonly Target[] = [
  row('labels', 'distinct labels, whole way, 64 concurrent', 'labels/s', 'more', 500, 300),
  row('labels-against-jsreport', '… against jsreport chrome-pool', '×', 'more', 40, 20),
  row('labels-against-puppeteer-cluster', '… against puppeteer-cluster', '×', 'more', 25, 12),
  row('labels-against-floor', '… against the bare Chromium floor', '×', 'more', 0.8, 0.5),
  row('printer-floor', 'Chromium alone (the floor)', 'labels/s', 'more'),
  row('printer-jsreport', 'jsreport', 'labels/s', 'more'),
  row('printer-puppeteer-cluster', 'puppeteer-cluster', 'labels/s', 'more'),
  row('one-label-p50', 'one label, nobody else waiting, p50', 'ms', 'less', 10, 15),
  row('one-label-p99', 'one label, nobody else waiting, p99', 'ms', 'less', 20, 40),
  row('one-print-p50', 'one label printed by bare Chromium, one at a time, p50', 'ms', 'less'),
  row('one-print-p99', '… p99', 'ms', 'less'),
  row(
    'one-label-against-print-p50',
    'one label, nobody else waiting, against that print, p50',
    '×',
    'less',
    2,
  ),
  row('one-label-against-print-p99', '… p99', '×', 'less', 2),
  row('same-label-p50', 'the same label again (cache), p50', 'ms', 'less', 2, 4),
  row('small-label-99', 'small label of 99 packages, p50', 'ms', 'less', 150, 300),
  row(
    'create-against-bare',
    'guide creation at 16 concurrent, against bare Fastify + driver',
    '×',
    'more',
    0.9,
    0.7,
  ),
  row('create-by-key', '… by a key, against by a token', '×', 'more', 0.95, 0.9),
  row('create-with-quote', '… with a quote, against without', '×', 'more', 0.85, 0.7),
  row('create-500', '500 guides in one request, p50', 'ms', 'less', 150, 300),
  row('stored-create', 'creation p50 with the guides stored, against none', '×', 'less', 1.1, 1.3),
  row('stored-label', 'label p50 with the guides stored, against none', '×', 'less', 1.1, 1.3),
  row('list-first', 'a page of 50 of the list with the guides stored, newest guides, p50', 'ms', 'less', 15),
  row('list-last', '… oldest guides, p50', 'ms', 'less', 15),
  row('list-reference', '… by reference, p50', 'ms', 'less', 5),
  row('memory', "label worker's memory after 20 000 labels, against after 1 000", '×', 'less', 1.1, 1.3),
  row('start', 'npm start when all is in place, until ready', 's', 'less', 4, 8),
  row('half-load-p99', 'p99 at half of the top load', 'ms', 'less', 150),
  row('half-load-p99-against-p50', '… against the p50 of the same run', '×', 'less', 3),
  row('overload-goodput', 'goodput at three times the top load, against the top', '×', 'more', 0.95),
  row('overload-served-p99', 'p99 of a served label at three times the top load', 'ms', 'less', 8_000),
  row('overload-refusal-p99', 'p99 of a refusal (503) at three times the top load', 'ms', 'less', 1_000),
  row(
    'customer-beside-labels-p99',
    "a customer's labels beside one who floods with labels, p99",
    'ms',
    'less',
    1_000,
  ),
  row('customer-beside-labels-login-p99', '… logins, p99', 'ms', 'less', 1_000),
  row('customer-beside-guides-p99', '… beside one who floods with guides, labels, p99', 'ms', 'less', 1_000),
  row('customer-beside-guides-login-p99', '… logins, p99', 'ms', 'less', 1_000),
  row('customer-beside-logins-p99', '… beside one who floods with logins, labels, p99', 'ms', 'less', 1_000),
  row('customer-beside-logins-login-p99', '… logins, p99', 'ms', 'less', 1_000),
  row('file-100', '100 new letters as one file', 's', 'less', 1),
  row('file-500', '500 new letters as one file', 's', 'less', 4),
  row('file-alone-p99', 'single labels, p99', 'ms', 'less'),
  row('file-beside-p99', "… while another account's files of 500 are printed, p99", 'ms', 'less'),
  row('file-beside-ratio', '… against alone', '×', 'less', 1.5),
  row('create-alone-p99', 'creations of one guide, 20 a second, p99', 'ms', 'less'),
  row(
    'create-beside-bodies-p99',
    '… while somebody else sends one hostile body after the other, p99',
    'ms',
    'less',
    50,
  ),
  row('bodies-stall', '… the longest stall of the event loop meanwhile', 'ms', 'less', 100),
  ...beside('colonias', 'misspelt colonias over eight connections'),
  ...beside('quotes', 'quotes of 500 guides, two at a time'),
  ...beside('weighings', '500 weighings of one guide of 99 packages a request'),
  ...beside('simulations', 'four such simulations at a time'),
  row('cost-label', 'CPU of a label, all parts', 'core-ms', 'less'),
  row('cost-create', 'CPU of the creation of a guide, all parts', 'core-ms', 'less'),
  ...[10, 100].flatMap((perSecond) => [
    row(
      `webhooks-delay-${perSecond}-p50`,
      `${perSecond} scans a second: to the receiver, p50`,
      's',
      'less',
      0.7,
    ),
    row(`webhooks-delay-${perSecond}-p99`, '… p99', 's', 'less', 2),
    row(`webhooks-messages-${perSecond}`, '… messages an event', 'messages', 'less', 5 / perSecond),
    row(`webhooks-cost-${perSecond}`, '… CPU of an event: api, webhooks and database', 'core-ms', 'less'),
  ]),
  row(
    'labels-beside-webhooks',
    'labels a second beside 100 webhooks of which 10 hang, against alone',
    '×',
    'more',
    0.95,
  ),
  row('workers-1', 'one label worker with a quarter of a core', 'labels/s', 'more'),
  row('workers-2', 'two such workers', 'labels/s', 'more'),
  row('workers-2-against-half', '… against one', '×', 'more', 1.9),
  row('workers-4', 'four such workers', 'labels/s', 'more'),
  row('workers-4-against-half', '… against two', '×', 'more', 1.9),
  row(
    'capacity',
    'what "Estado" says a worker could print, with 60 clients, against what it prints',
    '×',
    'less',
    1.1,
  ),
];
