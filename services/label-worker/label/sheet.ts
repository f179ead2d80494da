import {
  CSS_PIXELS_PER_DOT,
  type Drawing,
  type FloatingShape,
  floatingHref,
  type Shape,
} from '../drawing.ts';

/**
 * What one page, or every page, has: SVG and HTML for Chromium, how many letters these have, our shapes, and the values of
 * the codes.
 */
type Layer = {
  graphics: string;
  texts: string;
  html: string;
  letters: number;
  shapes: Shape[];
  codes: string[];
};

/** Records what a template draws. Records only once what all pages share. */
export class Sheet {
  readonly #shared = emptyLayer();
  readonly #pages: Layer[] = [];
  readonly #floating: FloatingShape[] = [];
  layer = this.#shared;

  /** @param index of the page, from 0. */
  onPage(index: number, draw: () => void): void {
    this.#pages[index] ??= emptyLayer();
    this.layer = this.#pages[index];
    draw();
    this.layer = this.#shared;
  }

  draw(shape: Shape): void {
    this.layer.shapes.push(shape);
  }

  /** Records a shape for which HTML leaves room. @returns the address of its link there. */
  float(shape: FloatingShape): string {
    return floatingHref(this.#floating.push(shape) - 1);
  }

  /**
   * Returns the pages as HTML: a section each of the class `kind`, with one SVG, one text, and the template's HTML.
   * More boxes would cost Chromium more time (docs/decisions/0001-text-set-by-us.md).
   */
  html(kind: string): string {
    const { graphics, texts, html } = this.#shared;
    const start = `<section class="${kind}"><svg shape-rendering="crispEdges"><g transform="scale(${CSS_PIXELS_PER_DOT})">${graphics}`;
    return this.#ownLayers()
      .map((own) => {
        const flow = html || own.html ? `<div class="flow">${html}${own.html}</div>` : '';
        return `${start}${own.graphics}<text>${texts}${own.texts}</text></g></svg>${flow}</section>\n`;
      })
      .join('');
  }

  drawing(): Drawing {
    const pages = this.#ownLayers().map(({ shapes }) => shapes);
    return { shared: this.#shared.shapes, pages, floating: this.#floating };
  }

  /** Returns how many letters each page has, blanks included. Stamps have none, because their letters print as lines. */
  letters(): number[] {
    return this.#ownLayers().map(({ letters }) => this.#shared.letters + letters);
  }

  codes(): string[][] {
    return this.#ownLayers().map(({ codes }) => [...this.#shared.codes, ...codes]);
  }

  /** Returns one page for a template that draws nothing on single pages. */
  #ownLayers(): readonly Layer[] {
    return this.#pages.length > 0 ? this.#pages : [emptyLayer()];
  }
}

function emptyLayer(): Layer {
  return { graphics: '', texts: '', html: '', letters: 0, shapes: [], codes: [] };
}
