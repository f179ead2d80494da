import { momentIn } from '#shared/pages/format.ts';
import { zoneWords } from '#shared/pages/zone-words.ts';
import { ANSWER_DAYS, answersOfGuide } from '#shared/stores/answer-log.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { EventLog } from '#shared/tracking/event-log.ts';
import { healthOf } from '#shared/webhooks/webhook-health.ts';
import type { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { answerViews } from './answers-view.ts';
import type { GuideReader, VisibleGuide } from './guide-reader.ts';
import {
  eventViews,
  guideView,
  personsView,
  pictureViews,
  priceWords,
  stateView,
  webhookViews,
} from './guide-view.ts';
import type { PickupReader } from './pickup-reader.ts';
import { healthView } from './webhooks-view.ts';

/** Most webhooks of all accounts that are listed. */
const MAX_WEBHOOKS_LISTED = 200;

export type SupportSources = {
  guides: GuideReader;
  pickups: PickupReader;
  webhooks: WebhookStore;
  events: EventLog;
  /** The Redis of the labels, with what the api answered. */
  answers: RedisClient;
  prefix: string;
  timeZone: string;
  /** Of the api, whose counter shows labels. */
  publicUrl: string | undefined;
};
export type GuideView = Awaited<ReturnType<ReturnType<typeof supportViews>['guide']>>;
export type WebhooksView = Awaited<ReturnType<ReturnType<typeof supportViews>['webhooks']>>;

/** Returns what reads the data of each page, and writes it in the words of the page. */
export function supportViews({
  guides,
  webhooks,
  events,
  answers,
  prefix,
  timeZone,
  publicUrl,
}: SupportSources) {
  const [write, zone] = [momentIn(timeZone), zoneWords(timeZone)];
  return {
    write,
    zone,
    /** @param personal whether persons are shown. */
    async guide(
      guide: VisibleGuide,
      { canSeePersons, canPrint, personal }: { canSeePersons: boolean; canPrint: boolean; personal: boolean },
    ) {
      const { _id: number, account } = guide;
      const [entries, own, kept, persons] = await Promise.all([
        guides.entries(number),
        webhooks.list(account).then((own) => healthOf(events, own)),
        answersOfGuide(answers, prefix, number).catch(() => undefined),
        personal ? guides.persons(number) : undefined,
      ]);
      return {
        ...guideView(guide, write),
        state: stateView(guide, entries),
        price: priceWords(guide, entries),
        ...eventViews(guide, entries, write),
        pictures: pictureViews(number, entries, write),
        labels: answerViews(kept ?? [], write),
        areLabelsUnknown: kept === undefined,
        webhooks: webhookViews(own, entries, write),
        persons: persons ? personsView(persons, write) : null,
        canSeePersons,
        atCounter: canPrint && publicUrl ? `${publicUrl}/mostrador#/enviado/guias/${number}` : null,
        days: ANSWER_DAYS,
        zone,
      };
    },
    /** Lists an account's webhooks, or those of all accounts that need somebody. */
    async webhooks(account: string | undefined) {
      const found = await (account === undefined
        ? webhooks.listTroubled(MAX_WEBHOOKS_LISTED + 1)
        : webhooks.list(account));
      const healths = await healthOf(events, found.slice(0, MAX_WEBHOOKS_LISTED));
      return {
        account: account ?? '',
        isOfOne: account !== undefined,
        webhooks: healths.map((health) => healthView(health, write)),
        hasMore: found.length > MAX_WEBHOOKS_LISTED,
        limit: MAX_WEBHOOKS_LISTED,
        zone,
      };
    },
  };
}
