import { writeFile } from 'node:fs/promises';
import type { KindName } from '#shared/contracts/label-file.ts';
import { formatCsv } from '#shared/csv/format-csv.ts';
import { progressLine } from '#shared/terminal/progress-line.ts';
import { type Credentials, GuidesApi } from '../api/guides-api.ts';
import { readOrders } from '../orders/read-orders.ts';
import { checkOrders } from './check-orders.ts';
import { createGuides, type Shipment } from './create-guides.ts';
import { printLabels } from './print-labels.ts';

export type SendOptions = {
  /** The file of orders. */
  path: string;
  /** Where the guides' numbers go, as CSV. */
  results: string;
  /** Where the labels go, as PDF. */
  labels: { path: string; kind: KindName } | undefined;
  /** Whether nothing is to be created. */
  checkOnly: boolean;
  /** @returns with whom to log in; asked only after the file was read. */
  credentials: () => Promise<Credentials>;
  say: (line: string) => void;
};

/** What the file of results says of an order's guide. */
const COLUMNS = [
  'Linea',
  'Referencia',
  'SEND_GUIA',
  'SEND_SUCU_DEST',
  'SEND_DESTINATARIO',
  'SEND_FECHA',
  'Creada',
];

/**
 * Creates the guides of a file of orders, and prints their labels: all orders are checked first, and nothing is created
 * where one is wrong. Interrupted, it may be called again: no order gets a second guide.
 *
 * @throws InvalidFileError for a file that is not right; ApiError where the service refuses.
 */
export async function sendOrders(options: SendOptions): Promise<void> {
  const { path, results, labels, checkOnly, say } = options;
  const orders = await readOrders(path);
  const progress = progressLine();
  const api = new GuidesApi(await options.credentials(), (reason, seconds) =>
    progress.show(`${reason}. Otro intento en ${seconds} s`),
  );
  const shipments: Shipment[] = [];
  try {
    await api.login();
    const showChecked = (done: number) => progress.show(`Revisados: ${done} de ${orders.length}`);
    const warnings = await checkOrders(api, orders, showChecked);
    progress.clear();
    say(`Pedidos correctos: ${orders.length}`);
    if (warnings) say(warnings);
    if (checkOnly) return;
    await createGuides(api, orders, (some) => {
      shipments.push(...some);
      progress.show(`Guias: ${shipments.length} de ${orders.length}`);
    });
  } finally {
    progress.clear();
    if (shipments.length > 0) await report(shipments, results, say);
  }
  if (!labels) return;
  try {
    await printLabels(api, shipments, labels, (done) =>
      progress.show(`Etiquetas: ${done} de ${shipments.length}`),
    );
  } finally {
    progress.clear();
  }
  say(`Etiquetas: ${labels.path}`);
}

/** Writes which guides there are, also where others are missing yet. */
async function report(shipments: Shipment[], path: string, say: (line: string) => void): Promise<void> {
  shipments.sort((one, other) => one.order.line - other.order.line);
  const rows = shipments.map(({ order, guide, existed }) => [
    String(order.line),
    order.reference,
    guide.SEND_GUIA,
    guide.SEND_SUCU_DEST,
    guide.SEND_DESTINATARIO,
    guide.SEND_FECHA,
    existed ? 'antes' : 'ahora',
  ]);
  await writeFile(path, formatCsv(COLUMNS, rows));
  const before = shipments.filter(({ existed }) => existed).length;
  say(`Guias creadas: ${shipments.length - before}. Ya existian: ${before}. Numeros: ${path}`);
}
