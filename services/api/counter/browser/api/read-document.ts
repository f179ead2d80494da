import { ask } from './ask.ts';
import type { OpenApi } from './document.ts';
import type { Answer } from './problem.ts';

let reading: Promise<Answer<OpenApi>> | undefined;

/** Reads the document once for the whole page, and again if that failed. */
export async function readDocument(): Promise<Answer<OpenApi>> {
  reading ??= ask<never>({ method: 'GET', path: '/api/openapi.json' }).then((answer) =>
    // The document stands alone: it is no answer with `data`.
    answer.ok ? { ...answer, data: answer.body as unknown as OpenApi, body: answer.body as never } : answer,
  );
  const answer = await reading;
  if (!answer.ok) reading = undefined;
  return answer;
}
