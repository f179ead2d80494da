import { InvalidFileError, LineReport } from '#shared/csv/line-report.ts';
import type { GuidesApi } from '../api/guides-api.ts';
import { ApiError } from '../api/requests.ts';
import type { Order } from '../orders/read-orders.ts';
import { type Batch, batchesOf } from './batches.ts';

/**
 * Has the service check all orders, and creates nothing.
 *
 * @param onProgress is called with the number of orders checked so far.
 * @throws InvalidFileError with what is wrong, by the lines of the file.
 */
export async function checkOrders(
  api: GuidesApi,
  orders: readonly Order[],
  onProgress: (checked: number) => void,
): Promise<void> {
  const report = new LineReport();
  let checked = 0;
  let unnamed = 0;
  for (const batch of batchesOf(orders)) {
    unnamed += await check(api, batch, report);
    checked += batch.orders.length;
    onProgress(checked);
  }
  if (report.count === 0) return;
  const rest = unnamed > 0 ? `\n  y ${unnamed} mas, que se veran al corregir estos` : '';
  throw new InvalidFileError(
    `No se creo ninguna guia. Corrija el archivo y repita la misma orden. Errores: ${report.count + unnamed}\n${report}${rest}`,
  );
}

/** @returns how many problems the service has counted and not named. */
async function check(api: GuidesApi, { service, orders }: Batch, report: LineReport): Promise<number> {
  try {
    await api.check(
      service,
      orders.map(({ guide }) => guide),
    );
    return 0;
  } catch (error) {
    if (!(error instanceof ApiError) || error.problems.length === 0) throw error;
    for (const { indice = 0, campo, message } of error.problems) {
      report.add({ line: orders[indice]?.line ?? 1, ...(campo && { column: campo }), reason: message });
    }
    return error.total - error.problems.length;
  }
}
