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

export const TARGETS: readonly Target[] = [
  row('labels', 'distinct labels, whole way, 64 concurrent', 'labels/s', 'more', 500, 300),
  row('labels-against-jsreport', '… against jsreport chrome-pool', '×', 'more', 40, 20),
  row('labels-against-puppeteer-cluster', '… against puppeteer-cluster', '×', 'more', 25, 12),
  row('labels-against-floor', '… against the bare Chromium floor', '×', 'more', 0.8, 0.5),
  row('labels-against-new-page', '… against a new page a label', '×', 'more'),
  row('printer-floor', 'Chromium alone (the floor)', 'labels/s', 'more'),
  row('printer-jsreport', 'jsreport', 'labels/s', 'more'),
  row('printer-puppeteer-cluster', 'puppeteer-cluster', 'labels/s', 'more'),
  row('printer-new-page', 'a new page a label', 'labels/s', 'more'),
  row('one-label-p50', 'one label, nobody else waiting, p50', 'ms', 'less', 10, 15),
  row('one-label-p99', 'one label, nobody else waiting, p99', 'ms', 'less', 20, 40),
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
  row('create-500', '500 guides in one request, p50', 'ms', 'less', 150, 300),
  row('stored-create', 'creation p50 with the guides stored, against none', '×', 'less', 1.1, 1.3),
  row('stored-label', 'label p50 with the guides stored, against none', '×', 'less', 1.1, 1.3),
  row('list-first', 'a page of 50 of the list with the guides stored, newest guides, p50', 'ms', 'less', 15),
  row('list-last', '… oldest guides, p50', 'ms', 'less', 15),
  row('list-reference', '… by reference, p50', 'ms', 'less', 5),
  row('events-500', 'events registered, 500 in a request, 4 concurrent', 'events/s', 'more'),
  row('events-one', '… one in a request, 16 concurrent', 'events/s', 'more'),
  row('events-label', 'label p50 beside a scanner that tells events, against none', '×', 'less'),
  row('feed-first', 'a page of 500 of the feed with as many events stored, at its start, p50', 'ms', 'less'),
  row('feed-last', '… at its end, p50', 'ms', 'less'),
  row('memory', "label worker's memory after 20 000 labels, against after 1 000", '×', 'less', 1.1, 1.3),
  row('start', 'npm start when all is in place, until ready', 's', 'less', 4, 8),
  row('half-load-p99', 'p99 at half of the top load', 'ms', 'less', 150),
  row('overload-goodput', 'goodput at three times the top load, against the top', '×', 'more', 0.9),
  row('overload-refusal-p99', 'p99 of a refusal (503) at three times the top load', 'ms', 'less'),
  row('overload-memory', "api's memory after the overload, against before", '×', 'less'),
  row('fair-alone-p99', 'single labels, p99', 'ms', 'less'),
  row('fair-p99', '… while labels of 99 packages are printed, p99', 'ms', 'less'),
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
  row('file-500-again', '… again (cache)', 's', 'less'),
  row('file-alone-p99', 'single labels, p99', 'ms', 'less'),
  row('file-beside-p99', "… while another account's files of 500 are printed, p99", 'ms', 'less'),
  row('file-beside-ratio', '… against alone', '×', 'less', 2),
  row('create-alone-p99', 'creations of one guide, 20 a second, p99', 'ms', 'less'),
  row(
    'create-beside-bodies-p99',
    '… while somebody else sends one hostile body after the other, p99',
    'ms',
    'less',
    50,
  ),
  row('bodies-stall', '… the longest stall of the event loop meanwhile', 'ms', 'less', 100),
  row('cost-label', 'CPU of a label, all parts', 'core-ms', 'less'),
  row('cost-create', 'CPU of the creation of a guide, all parts', 'core-ms', 'less'),
  row('workers-1', 'one label worker with a quarter of a core', 'labels/s', 'more'),
  row('workers-2', 'two such workers', 'labels/s', 'more'),
  row('workers-2-against-half', '… against one', '×', 'more', 1.9),
  row('workers-4', 'four such workers', 'labels/s', 'more'),
  row('workers-4-against-half', '… against two', '×', 'more', 1.9),
];
