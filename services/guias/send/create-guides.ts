import { createHash } from 'node:crypto';
import type { CreatedGuide, GuidesApi } from '../api/guides-api.ts';
import type { Order } from '../orders/read-orders.ts';
import { type Batch, batchesOf, slices } from './batches.ts';

/** Requests at a time that look for a reference. */
const CONCURRENCY = 8;

/** An order with its guide. `existed`: the guide was there before. */
export type Shipment = { order: Order; guide: CreatedGuide; existed: boolean };

/**
 * Creates the guides of orders. An order whose reference has a guide already, which was not cancelled, gets no other: a
 * file may be sent again after an interruption, and with more orders.
 *
 * @param onShipments is called with the guides that exist, as they become known.
 */
export async function createGuides(
  api: GuidesApi,
  orders: readonly Order[],
  onShipments: (some: Shipment[]) => void,
): Promise<void> {
  const missing: Order[] = [];
  for (const some of slices(orders, CONCURRENCY)) {
    const found = await Promise.all(some.map(({ reference }) => api.find(reference)));
    const existing = some.flatMap((order, index) => {
      const guide = found[index];
      if (!guide) missing.push(order);
      return guide ? [{ order, guide, existed: true }] : [];
    });
    if (existing.length > 0) onShipments(existing);
  }
  for (const batch of batchesOf(missing)) {
    const guides = await create(api, batch);
    onShipments(
      batch.orders.map((order, index) => ({
        order,
        guide: guides[index] as CreatedGuide,
        existed: false,
      })),
    );
  }
}

function create(api: GuidesApi, { service, orders }: Batch): Promise<CreatedGuide[]> {
  const guides = orders.map(({ guide }) => guide);
  // The same orders are one creation, also where its answer is lost.
  const key = createHash('sha256')
    .update(JSON.stringify([service, guides]))
    .digest('hex');
  return api.create(service, guides, `guias-${key}`);
}
