import type { Drawing } from '../drawing.ts';
import type { PdfForm } from './form.ts';

/** One label's pages of a print: the title of its file, what is drawn on each of the pages, and the form below them. */
export type LabelPages = { title: string; drawing: Drawing; form?: PdfForm | undefined };
