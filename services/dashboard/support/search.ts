import { hasGuideNumberForm } from '#shared/guides/guide.ts';
import type { WriteMoment } from '#shared/pages/format.ts';
import { ANSWER_DAYS, type Answer, answersOfRequest } from '#shared/stores/answer-log.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { answerViews } from './answers-view.ts';
import { type FoundGuides, type GuideReader, MAX_FOUND } from './guide-reader.ts';
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

/** `answers`: undefined if the Redis of the labels does not answer. */
export type Found = FoundGuides & { answers: Answer[] | undefined };

/** Returns the number of the only guide or pick-up that is meant, or all that a text may mean. */
export async function search(
  { guides, pickups, answers: redis, prefix }: Sources,
  text: string,
  account: string | undefined,
): Promise<Found | { number: string } | { pickup: string }> {
  // People copy a number with blanks and dashes.
  const number = text.replaceAll(/[\s-]/g, '');
  if (hasGuideNumberForm(number) && (await guides.find(number))) return { number };
  const pickup = await pickups.find(number.toUpperCase());
  if (pickup) return { pickup: pickup._id };
  const [answers, found] = await Promise.all([
    REQUEST_ID.test(text) ? answersOfRequest(redis, prefix, text).catch(() => undefined) : [],
    text === '' ? { guides: [], isSlow: false } : guides.byReference(text, account),
  ]);
  const [guide, ...others] = found.guides;
  if (guide && others.length === 0 && answers?.length === 0) return { number: guide._id };
  return { ...found, answers };
}

/** @param found absent before a search. */
export function searchView(
  write: WriteMoment,
  { text, account, found }: { text: string; account: string | undefined; found?: Found } = NOTHING,
) {
  const guides = found?.guides ?? [];
  return {
    text,
    account: account ?? '',
    hasResult: found !== undefined && text !== '',
    guides: guides.slice(0, MAX_FOUND).map((guide) => guideView(guide, write)),
    hasMore: guides.length > MAX_FOUND,
    limit: MAX_FOUND,
    isSlow: found?.isSlow ?? false,
    answers: answerViews(found?.answers ?? [], write),
    areAnswersUnknown: found !== undefined && found.answers === undefined,
    days: ANSWER_DAYS,
  };
}
