import { LABEL_KINDS } from '../labels/label-kinds.ts';

/** What the label worker prints, each with a template of its name: labels, and the list of a manifest. */
export const PRINT_KINDS = [...LABEL_KINDS, 'manifest'] as const;
export type PrintKind = (typeof PRINT_KINDS)[number];

/** Makes a table of all that the label worker prints. */
export function ofEachPrint<T>(get: (kind: PrintKind) => T): Record<PrintKind, T> {
  return Object.fromEntries(PRINT_KINDS.map((kind) => [kind, get(kind)])) as Record<PrintKind, T>;
}
