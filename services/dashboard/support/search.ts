import { hasGuideNumberForm } from '#shared/guides/guide.ts';
import type { WriteMoment } from '#shared/pages/format.ts';
import { ANSWER_DAYS, type Answer, answersOfRequest } from '#shared/stores/answer-log.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { answerViews } from './answers-view.ts';
import { type FoundGuides, type GuideReader, MAX_FOUND, type PersonGuide } from './guide-reader.ts';
import { guideView } from './guide-view.ts';
import type { PickupReader } from './pickup-reader.ts';

type Sources = {
  guides: GuideReader;
  pickups: PickupReader;
  /** The Redis of the labels, with what the api answered. */
  answers: RedisClient;
  prefix: string;
};

/** What an `X-Request-Id` may be (docs/contract.md "Envelopes"). */
const REQUEST_ID = /^[\w.-]{1,64}$/;
const NOTHING = { text: '', account: undefined };

/**
 * `answers`: undefined if the Redis of the labels does not answer. `persons`: guides whose recipient is meant; undefined for
 * those who may not look for persons.
 */
export type Found = FoundGuides & {
  persons: FoundGuides<PersonGuide> | undefined;
  answers: Answer[] | undefined;
};

/**
 * Returns the number of the only guide or pick-up that is meant, or all that a text may mean.
 * @param forPersons whether it may be the name or the phone of a recipient.
 */
export async function search(
  { guides, pickups, answers: redis, prefix }: Sources,
  text: string,
  account: string | undefined,
  forPersons: boolean,
): Promise<Found | { number: string } | { pickup: string }> {
  // People copy a number with blanks and dashes.
  const number = text.replaceAll(/[\s-]/g, '');
  if (hasGuideNumberForm(number) && (await guides.find(number))) return { number };
  const pickup = await pickups.find(number.toUpperCase());
  if (pickup) return { pickup: pickup._id };
  const [answers, found, persons] = await Promise.all([
    REQUEST_ID.test(text) ? answersOfRequest(redis, prefix, text).catch(() => undefined) : [],
    text === '' ? { guides: [], isSlow: false } : guides.byReference(text, account),
    forPersons ? guides.byPerson(text, account) : undefined,
  ]);
  const [guide, ...others] = [...found.guides, ...(persons?.guides ?? [])];
  if (guide && others.length === 0 && answers?.length === 0) return { number: guide._id };
  return { ...found, persons, answers };
}

/**
 * Tells the trail what was looked for without naming anybody: how each word begins, or the last four digits of a phone.
 */
export function maskedText(text: string): string {
  const digits = text.replaceAll(/[\s()+.-]/g, '');
  if (/^\d{5,}$/.test(digits)) return `***${digits.slice(-4)}`;
  const masked = (word: string) => `${[...word].slice(0, Math.min(2, word.length - 1)).join('')}…`;
  return text.split(/\s+/).filter(Boolean).map(masked).join(' ');
}

/** @param found absent before a search. */
export function searchView(
  write: WriteMoment,
  canSeePersons: boolean,
  { text, account, found }: { text: string; account: string | undefined; found?: Found } = NOTHING,
) {
  const guides = found?.guides ?? [];
  const persons = found?.persons?.guides ?? [];
  return {
    canSeePersons,
    text,
    account: account ?? '',
    hasResult: found !== undefined && text !== '',
    guides: guides.slice(0, MAX_FOUND).map((guide) => guideView(guide, write)),
    hasMore: guides.length > MAX_FOUND,
    persons: persons.slice(0, MAX_FOUND).map((guide) => personView(guide, write)),
    hasMorePersons: persons.length > MAX_FOUND,
    isSlow: Boolean(found?.isSlow || found?.persons?.isSlow),
    limit: MAX_FOUND,
    answers: answerViews(found?.answers ?? [], write),
    areAnswersUnknown: found !== undefined && found.answers === undefined,
    days: ANSWER_DAYS,
  };
}

/** The person is masked: a look at a guide is in the trail. */
function personView(found: PersonGuide, write: WriteMoment) {
  const { Nombre, Celular, Telefono } = found.guide.Destinatario;
  const phones = [Celular, Telefono].flatMap((phone) => (phone ? [maskedText(phone)] : []));
  return { ...guideView(found, write), person: maskedText(Nombre), phones: phones.join(' / ') };
}
