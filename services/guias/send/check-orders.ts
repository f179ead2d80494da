import { InvalidFileError, LineReport } from '#shared/csv/line-report.ts';
import type { GuidesApi } from '../api/guides-api.ts';
import { ApiError, type Problems } from '../api/requests.ts';
import type { Order } from '../orders/read-orders.ts';
import { type Batch, batchesOf } from './batches.ts';

/**
 * Has the service check all orders, and creates nothing.
 *
 * @param onProgress is called with the number of orders checked so far.
 * @returns what the service warns of, by the lines of the file; an empty text where that is nothing.
 * @throws InvalidFileError with what is wrong, by the lines of the file.
 */
export async function checkOrders(
  api: GuidesApi,
  orders: readonly Order[],
  onProgress: (checked: number) => void,
): Promise<string> {
  const [errors, warnings] = [new Findings(), new Findings()];
  let checked = 0;
  for (const batch of batchesOf(orders)) {
    await check(api, batch, errors, warnings);
    checked += batch.orders.length;
    onProgress(checked);
  }
  if (errors.count === 0) return warnings.count === 0 ? '' : `Advertencias: ${warnings.count}\n${warnings}`;
  throw new InvalidFileError(
    `No se creo ninguna guia. Corrija el archivo y repita la misma orden. Errores: ${errors.count}\n${errors}`,
  );
}

async function check(api: GuidesApi, batch: Batch, errors: Findings, warnings: Findings): Promise<void> {
  const { service, orders } = batch;
  const guides = orders.map(({ guide }) => guide);
  try {
    warnings.add(orders, await api.check(service, guides));
  } catch (error) {
    if (!(error instanceof ApiError) || error.problems.length === 0) throw error;
    errors.add(orders, error);
  }
}

/** Collects what the service finds in orders, by the lines of their file. */
class Findings {
  readonly #report = new LineReport();
  /** Those that the service has counted and not named. */
  #unnamed = 0;

  get count(): number {
    return this.#report.count + this.#unnamed;
  }

  add(orders: readonly Order[], { problems, total }: Problems): void {
    for (const { indice = 0, campo, message } of problems) {
      this.#report.add({ line: orders[indice]?.line ?? 1, ...(campo && { column: campo }), reason: message });
    }
    this.#unnamed += total - problems.length;
  }

  toString(): string {
    const rest = this.#unnamed > 0 ? `\n  y ${this.#unnamed} mas, que se veran al corregir estos` : '';
    return `${this.#report}${rest}`;
  }
}
