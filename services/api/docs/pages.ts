import { readFileSync } from 'node:fs';
import { EVENT_TYPE_NAMES } from '#shared/contracts/event-types.ts';
import { IMAGE_FORMATS } from '#shared/contracts/label-job.ts';
import { KINDS } from '#shared/contracts/label-kinds.ts';
import { DOCUMENT_STYLE, pageKit } from '#shared/pages/page-kit.ts';
import { SCENARIO_NAMES } from '../guides/events/scenarios.ts';
import { TAGS } from '../openapi/document.ts';
import { GUIDE_EXAMPLES } from '../openapi/examples.ts';
import type { Contents } from './chapters.ts';
import { bodyExample, type Operation } from './reference.ts';
import type { Found } from './search.ts';
import { readableJson } from './text.ts';

const kit = pageKit(new URL('.', import.meta.url), ['manual']);

/** What every page of the guide shows. `query`: what was searched for. */
type Framed<View> = View & { title: string; carrier: string; contents: Contents; query: string };

export const STYLE = kit.style(DOCUMENT_STYLE, 'manual.css');
export const SCRIPT = readFileSync(new URL('probar.js', import.meta.url), 'utf8');
export const chapterPage = kit.page<Framed<{ content: string }>>('capitulo');
export const resultsPage = kit.page<Framed<{ found: Found[] }>>('buscar');
export const tryPage = kit.page<Framed<{ content: string } & ReturnType<typeof tryView>>>('probar');

/** What the page to try requests offers: the first guide, the kinds of label, and every operation that needs a token. */
export function tryView(operations: readonly Operation[]) {
  const guide = readableJson(GUIDE_EXAMPLES.minima.value);
  const offered = operations.filter(({ operationId }) => operationId !== 'iniciarSesion');
  return {
    guide,
    guideLines: guide.split('\n').length,
    kinds: Object.values(KINDS),
    formats: ['pdf', ...IMAGE_FORMATS],
    scenarios: SCENARIO_NAMES,
    eventTypes: EVENT_TYPE_NAMES,
    subjects: Object.entries(TAGS).map(([tag, { 'x-displayName': name }]) => ({
      name,
      operations: offered
        .filter(({ tags }) => tags.some((own) => own === tag))
        .map((operation) => ({ ...operation, body: bodyExample(operation) ?? '' })),
    })),
  };
}
