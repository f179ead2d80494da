import type { Drawing } from '../drawing.ts';
import type { PdfUnderlay } from './underlay.ts';

/** One label's pages of a print: the title of its file, what is drawn on each of the pages, and the underlay below them. */
export type LabelPages = { title: string; drawing: Drawing; underlay?: PdfUnderlay | undefined };
