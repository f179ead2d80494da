import { isStateEvent } from '#shared/guides/event-types.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { NOTICE_STATES, type NoticeState } from '#shared/notices/notice-model.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';
import { GuideProgress } from '../tracking/guide-state.ts';
import { headlineOf, packageEvents } from '../tracking/page/state-words.ts';

/** What a notice says happened, as the tracking page says it. */
export type Standing = { state: NoticeState; title: string; sentence: string };

const NO_CITIES: ReadonlyMap<string, string> = new Map();
const STATES: readonly string[] = NOTICE_STATES;

/** Returns how a guide stands by its events, if that is worth a notice. */
export function standingOf(guide: GuideDocument, told: readonly EventBody[]): Standing | undefined {
  const packages = guide.guide.Producto.Paquetes ?? 1;
  return standingBy(new GuideProgress(told, packages), guide, packages);
}

/**
 * Returns the events that gave a guide another state which is worth a notice. A guide of several packages stands as its least
 * advanced one, so that its recipient gets one notice and not one for each package.
 *
 * @param told in the order of the log.
 */
export function turningPoints(
  guide: GuideDocument,
  told: readonly EventBody[],
): { event: EventBody; state: NoticeState }[] {
  const packages = guide.guide.Producto.Paquetes ?? 1;
  const progress = new GuideProgress<EventBody>([], packages);
  let before: NoticeState | undefined;
  return told.flatMap((event) => {
    progress.add(event);
    const state = standingBy(progress, guide, packages)?.state;
    const isNews = state !== undefined && state !== before && event.Tipo === state;
    before = state;
    return isNews ? [{ event, state }] : [];
  });
}

function standingBy(
  progress: GuideProgress<EventBody>,
  guide: GuideDocument,
  packages: number,
): Standing | undefined {
  const { status } = progress;
  if (!isStateEvent(status) || !STATES.includes(status)) return undefined;
  const headline = headlineOf(status, packageEvents(progress, packages), guide, NO_CITIES);
  if (status === 'EnSucursal' && !headline.isReady) return undefined;
  return { state: status as NoticeState, title: headline.title, sentence: headline.sentence };
}
