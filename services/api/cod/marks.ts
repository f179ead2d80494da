import type { LabelAddition } from '../labels/label-payload.ts';
import { pesosText } from '../platform/amounts.ts';

/** Returns what a label says of money. The amount is of the guide, so that only the first package says it. */
export const marksOf: LabelAddition = ({ guide: { Cobro } }, packages) => {
  if (!Cobro) return {};
  const text = `COBRAR ${pesosText(Cobro.Monto)}`;
  return { marks: [{ text, ...(packages > 1 && { others: `COBRO EN EL PAQUETE 1 DE ${packages}` }) }] };
};
