import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';

const engine = Handlebars.create();
engine.registerPartial('layout', compileTemplate('layout'));

/** Compiles `templates/<name>.hbs`. The template escapes every field, and fails on a field that is missing. */
export function compileTemplate<T>(name: string): (view: T) => string {
  const text = readFileSync(new URL(`templates/${name}.hbs`, import.meta.url), 'utf8');
  return engine.compile<T>(text, { knownHelpersOnly: true, strict: true });
}
