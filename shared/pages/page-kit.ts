import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import Handlebars, { type HelperDelegate } from 'handlebars';

/** Escapes a text for HTML, also in an attribute. Templates escape their fields themselves. */
export const { escapeExpression: escapeHtml } = Handlebars;

const read = (file: URL) => readFileSync(file, 'utf8');
const FRAME = read(new URL('page.hbs', import.meta.url));
/** Each page's own style sheet follows. */
const STYLE = read(new URL('page.css', import.meta.url));

/** Style sheet of a long text with its contents beside it. */
export const DOCUMENT_STYLE = new URL('document.css', import.meta.url);

/**
 * Makes pages from the Handlebars templates in a folder, inside the partial `page`.
 * @param folder with a slash at its end.
 * @param partials templates that others include: names of those in the folder, or files of other folders.
 * @param helpers beside Handlebars' own and `is`.
 */
export function pageKit(
  folder: URL,
  partials: (string | URL)[] = [],
  helpers: Record<string, HelperDelegate> = {},
) {
  const engine = Handlebars.create();
  const allHelpers = { is: (value: unknown, other: unknown) => value === other, ...helpers };
  const knownHelpers = Object.fromEntries(Object.keys(allHelpers).map((helper) => [helper, true]));
  const fileOf = (name: string) => new URL(`${name}.hbs`, folder);
  engine.registerHelper(allHelpers);
  engine.registerPartial('page', FRAME);
  for (const partial of partials) {
    const file = typeof partial === 'string' ? fileOf(partial) : partial;
    engine.registerPartial(basename(file.pathname, '.hbs'), read(file));
  }
  return {
    /** Compiles `<name>.hbs`. The template escapes every field, and fails on a field that is missing. */
    page: <View>(name: string): ((view: View) => string) =>
      engine.compile<View>(read(fileOf(name)), { knownHelpers, knownHelpersOnly: true, strict: true }),
    /** Returns one style sheet of these files, in the folder unless they are addresses. */
    style: (...files: (string | URL)[]): string =>
      STYLE + files.map((file) => read(new URL(file, folder))).join(''),
  };
}
