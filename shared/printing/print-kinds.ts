import type { DocumentPrint } from '../documents/document-print.ts';
import { PROOF_PRINT } from '../evidence/proof-print.ts';
import { LABEL_KINDS } from '../labels/label-kinds.ts';
import { MANIFEST_PRINT } from '../manifests/manifest-print.ts';
import { PICKUPS_PRINT } from '../pickups/pickups-print.ts';

/** The documents of rooms. */
const DOCUMENTS = [MANIFEST_PRINT, PROOF_PRINT, PICKUPS_PRINT] as const;
export type DocumentKind = (typeof DOCUMENTS)[number]['kind'];

/** What the label worker prints, each with a template of its own: labels, and the documents of rooms. */
export const PRINT_KINDS = [...LABEL_KINDS, ...DOCUMENTS.map(({ kind }) => kind)];
export type PrintKind = (typeof PRINT_KINDS)[number];

/** Makes a table of all that the label worker prints. */
export function ofEachPrint<T>(get: (kind: PrintKind) => T): Record<PrintKind, T> {
  return Object.fromEntries(PRINT_KINDS.map((kind) => [kind, get(kind)])) as Record<PrintKind, T>;
}

/** Returns the document of a kind; undefined for a label. */
export function documentOf(kind: DocumentKind): DocumentPrint;
export function documentOf(kind: string | undefined): DocumentPrint | undefined;
export function documentOf(kind: string | undefined): DocumentPrint | undefined {
  return DOCUMENTS.find((document) => document.kind === kind);
}
