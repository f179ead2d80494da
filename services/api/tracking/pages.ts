import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { PAGE_STYLE } from '#shared/page-style.ts';
import type { TrackingView } from './tracking-view.ts';

const read = (name: string) => readFileSync(new URL(`views/${name}`, import.meta.url), 'utf8');
const engine = Handlebars.create();
engine.registerHelper('is', (value: unknown, other: unknown) => value === other);
engine.registerPartial('pagina', read('pagina.hbs'));
engine.registerPartial('formulario', read('formulario.hbs'));

export const STYLE = PAGE_STYLE + read('rastreo.css');

/** Compiles `views/<name>.hbs`. The template escapes every field, and fails on a field that is missing. */
function compilePage<View>(name: string): (view: View & { carrier: string }) => string {
  return engine.compile(read(`${name}.hbs`), {
    knownHelpers: { is: true },
    knownHelpersOnly: true,
    strict: true,
  });
}

export const formPage = compilePage<object>('buscar');
export const guidePage = compilePage<TrackingView>('guia');
export const problemPage = compilePage<{ title: string; sentence: string }>('problema');
