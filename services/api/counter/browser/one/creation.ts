import { ask } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { createStore } from '../ui/store.ts';
import type { Values } from './form.ts';

/** The guide that a person fills in, and its creation: both go on while another tab of the page is looked at. */

export type CreatedGuide = { SEND_GUIA: string; SEND_TOTAL: number; SEND_DESTINATARIO: string };

/** What is filled in and not created. */
export const draft = createStore<Values>({});

/** How far the creation is: it runs, was refused, or has made the guide. */
export const creation = createStore<{
  isRunning?: true;
  refused?: { problem: Problem; values: Values };
  made?: { guide: CreatedGuide; values: Values };
}>({});

/** What was sent with a key and may have been stored: a second try of the same is a repeat. */
let unknown: { of: string; key: string; body: unknown } | undefined;

/**
 * Creates the guide that is filled in, once.
 *
 * @param of tells it apart from another one.
 * @param bodyOf makes its request, with the price of that moment.
 */
export async function createGuide(of: string, bodyOf: () => Promise<unknown>): Promise<void> {
  if (creation.get().isRunning) return;
  creation.set({ isRunning: true });
  const values = draft.get();
  if (unknown?.of !== of) unknown = { of, key: `mostrador-${randomText()}`, body: await bodyOf() };
  const { key, body } = unknown;
  const answer = await ask<CreatedGuide[]>({ method: 'POST', path: '/api/guias/crear', key, body });
  // A refusal stores nothing, and may be one of the quote; 429 says nothing of an earlier try.
  if (answer.ok || (answer.status >= 400 && answer.status < 500 && answer.status !== 429))
    unknown = undefined;
  if (!answer.ok) return creation.set({ refused: { problem: answer.problem, values } });
  const [guide] = answer.data;
  if (guide) draft.set({});
  creation.set(guide ? { made: { guide, values } } : {});
}

function randomText(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
