import { ask } from '../api/ask.ts';
import { keyOf } from '../api/key-of.ts';
import type { Problem } from '../api/problem.ts';
import { tabStorage } from '../kept/kept.ts';
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

const ATTEMPT = 'mostrador-intento';
/**
 * Makes the keys of creations until there is a guide, also when the page is loaded again: a second try of the same is a repeat, and
 * afterwards it is another guide. It is random: a hash of a guide would tell whether somebody guesses right what is in it.
 */
let attempt = tabStorage?.getItem(ATTEMPT) ?? undefined;

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
  attempt ??= crypto.randomUUID();
  tabStorage?.setItem(ATTEMPT, attempt);
  const [key, body] = [await keyOf(attempt, of), await bodyOf()];
  const answer = await ask<CreatedGuide[]>({ method: 'POST', path: '/api/guias/crear', key, body });
  if (!answer.ok) return creation.set({ refused: { problem: answer.problem, values } });
  attempt = undefined;
  tabStorage?.removeItem(ATTEMPT);
  const [guide] = answer.data;
  if (guide) draft.set({});
  creation.set(guide ? { made: { guide, values } } : {});
}
