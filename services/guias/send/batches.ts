import { MAX_GUIDES } from '#shared/contracts/guide.ts';
import type { Order } from '../orders/read-orders.ts';

/** Orders of one service, as many as a request may have. */
export type Batch = { service: string; orders: Order[] };

/** Splits orders into requests, in their order. */
export function batchesOf(orders: readonly Order[]): Batch[] {
  const byService = Map.groupBy(orders, ({ service }) => service);
  return [...byService].flatMap(([service, all]) =>
    slices(all, MAX_GUIDES).map((part) => ({ service, orders: part })),
  );
}

/** Splits a list into parts of `length` or, the last one, less. */
export function slices<T>(list: readonly T[], length: number): T[][] {
  const count = Math.ceil(list.length / length);
  return Array.from({ length: count }, (_, index) => list.slice(index * length, (index + 1) * length));
}
