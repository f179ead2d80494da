import { createHash } from 'node:crypto';
import {
  CATALOG,
  catalog,
  contentStream,
  INFORMATION,
  information,
  PAGES,
  PdfWriter,
  pageTree,
} from '#shared/pdf/pdf-writer.ts';
import {
  neededBy,
  objectAt,
  type PdfObject,
  readPdf,
  UnsupportedPdfError,
  withNumbers,
} from '#shared/pdf/read-pdf.ts';
import { formOf, SHEET_PLACES, sheetOperators, sheetPage } from './label-sheet.ts';

/** Deepest nesting of objects: page, resources, font, descriptor and file are five. */
const MAX_DEPTH = 20;

/**
 * Writes one PDF of the pages of many labels: `begin`, `add` for each, `end`. Fonts and logos that labels share are
 * written once. Only offsets and digests of objects stay in memory, whereas general PDF libraries parse every object
 * and hold the whole file.
 *
 * A file for sheets has the labels' pages as forms, four to a page.
 */
export class JoinedPdf {
  readonly #writer = new PdfWriter();
  readonly #pages: number[] = [];
  /** Object numbers by digest. */
  readonly #written = new Map<string, number>();
  #next = Math.max(CATALOG, PAGES, INFORMATION) + 1;
  /** The forms of the sheet that is being filled, by place; undefined if each page is one of its own. */
  #sheet: (number | undefined)[] | undefined;

  /** @param firstPlace where the labels begin on the first sheet, from 0; without it they are on no sheets. */
  constructor(firstPlace?: number) {
    if (firstPlace !== undefined) this.#sheet = Array.from({ length: firstPlace }, () => undefined);
  }

  begin(title: string): Buffer {
    return Buffer.concat([
      this.#writer.header(),
      this.#writer.object(CATALOG, catalog()),
      this.#writer.object(INFORMATION, information(title)),
    ]);
  }

  /** @throws UnsupportedPdfError if the label worker did not write the label. */
  add(label: Buffer): Buffer {
    const { objects, pages } = readPdf(label);
    const numbers = new Map<number, number>();
    const written: Buffer[] = [];
    const copyAll = (needed: readonly number[], depth: number) => {
      if (depth > MAX_DEPTH) throw new UnsupportedPdfError('Objects need each other in a circle');
      for (const number of needed) {
        if (numbers.has(number)) continue;
        const object = objectAt(objects, number);
        copyAll(neededBy(object), depth + 1);
        numbers.set(number, this.#copy(object, numbers, written));
      }
    };
    for (const page of pages) {
      const object = this.#sheet ? formOf(objects, page) : objectAt(objects, page);
      copyAll(neededBy(object), 1);
      if (!this.#sheet) this.#pages.push(this.#write(textOf(object, numbers), object.body, written));
      else {
        const places = this.#sheet.push(this.#copy(object, numbers, written));
        if (places === SHEET_PLACES) written.push(this.#endSheet());
      }
    }
    return Buffer.concat(written);
  }

  end(): Buffer {
    const lastSheet = this.#sheet?.length ? this.#endSheet() : Buffer.alloc(0);
    return Buffer.concat([lastSheet, this.#writer.object(PAGES, pageTree(this.#pages)), this.#writer.end()]);
  }

  #endSheet(): Buffer {
    const forms = this.#sheet ?? [];
    this.#sheet = [];
    const [content, page] = [this.#next++, this.#next++];
    this.#pages.push(page);
    return Buffer.concat([
      this.#writer.object(content, contentStream(sheetOperators(forms))),
      this.#writer.object(page, sheetPage(forms, content)),
    ]);
  }

  /** Writes an object unless an equal one is written. Returns its number. */
  #copy(object: PdfObject, numbers: ReadonlyMap<number, number>, written: Buffer[]): number {
    const text = textOf(object, numbers);
    const digest = createHash('sha256').update(text).update(object.body).digest('base64');
    const number = this.#written.get(digest) ?? this.#write(text, object.body, written);
    this.#written.set(digest, number);
    return number;
  }

  #write(text: string, body: Buffer, written: Buffer[]): number {
    const number = this.#next++;
    written.push(this.#writer.object(number, [text, body]));
    return number;
  }
}

/** The only reference to an object that is not written is a page's parent. */
function textOf(object: PdfObject, numbers: ReadonlyMap<number, number>): string {
  return withNumbers(object, (ref) => numbers.get(ref) ?? PAGES);
}
