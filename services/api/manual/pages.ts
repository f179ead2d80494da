import { readFileSync } from 'node:fs';
import { KINDS } from '#shared/labels/label-kinds.ts';
import { IMAGE_FORMATS } from '#shared/labels/label-payload.ts';
import { DOCUMENT_STYLE, pageKit } from '#shared/pages/page-kit.ts';
import { SUBJECTS } from '#shared/rooms.ts';
import { GUIDE_EXAMPLES } from '../guides/examples.ts';
import { readableJson } from '../http/tables.ts';
import type { Contents } from './chapters.ts';
import { bodyExample, type OpenApiDocument, operationAddress, operationsOf, valuesOf } from './reference.ts';
import type { Found } from './search.ts';

const kit = pageKit(new URL('.', import.meta.url), ['manual']);

/** What every page of the guide shows. `query`: what was searched for. */
type Framed<View> = View & { title: string; carrier: string; contents: Contents; query: string };

export const STYLE = kit.style(DOCUMENT_STYLE, 'manual.css');
export const TRY_SCRIPT = script('probar.js');
/** Of every page: a button that copies each block of code, and contents that show where the reader is. */
export const SCRIPT = script('manual.js');
export const chapterPage = kit.page<Framed<{ content: string }>>('capitulo');
export const resultsPage = kit.page<Framed<{ found: Found[] }>>('buscar');
export const lostPage = kit.page<Framed<object>>('perdida');
export const tryPage = kit.page<Framed<{ content: string } & ReturnType<typeof tryView>>>('probar');

/** What the page to try requests offers: the first guide, the kinds of label, and every operation that needs a token. */
export function tryView(document: OpenApiDocument) {
  const operations = operationsOf(document);
  const guide = readableJson(GUIDE_EXAMPLES.minima.value);
  const offered = operations.filter(({ operationId }) => operationId !== 'iniciarSesion');
  return {
    guide,
    guideLines: guide.split('\n').length,
    kinds: Object.values(KINDS),
    formats: [...IMAGE_FORMATS, 'pdf'],
    scenarios: valuesOf(document, 'Simulacion', 'Escenario'),
    eventTypes: valuesOf(document, 'Simulacion', 'Hasta'),
    subjects: Object.entries(SUBJECTS).map(([tag, { name }]) => ({
      name,
      operations: offered
        .filter(({ tags }) => tags.some((own) => own === tag))
        .map((operation) => ({
          ...operation,
          body: bodyExample(operation) ?? '',
          reference: operationAddress(operation),
        })),
    })),
  };
}

function script(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}
