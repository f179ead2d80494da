import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { LabelAddition } from '../labels/label-payload.ts';
import type { PageLink } from '../tracking/page-links.ts';
import { RETURN_OF, RETURNED_BY } from './return.ts';

/** What a guide's facts say of returns. */

type WithFacts = Pick<GuideDocument, 'facts'>;

/** Returns the number of the guide by which the parcel came; undefined for a guide that is no return. */
export function originalOf({ facts }: WithFacts): string | undefined {
  return numberIn(facts?.[RETURN_OF]);
}

/** Returns the number of the guide by which the parcel goes back. */
export function returnOf({ facts }: WithFacts): string | undefined {
  return numberIn(facts?.[RETURNED_BY]);
}

function numberIn(fact: string | true | undefined): string | undefined {
  return typeof fact === 'string' ? fact : undefined;
}

/** What is on the label of a return. */
export const onLabels: LabelAddition = (guide) => {
  const former = originalOf(guide);
  return former === undefined ? {} : { marks: [{ text: 'DEVOLUCIÓN' }], former };
};

/** Returns what the tracking page of a guide leads to. */
export function onTrackingPages(guide: WithFacts): PageLink[] {
  const [original, back] = [originalOf(guide), returnOf(guide)];
  return [
    ...(original === undefined ? [] : [{ words: 'Es la devolución de la guía', number: original }]),
    ...(back === undefined ? [] : [{ words: 'Se devuelve con la guía', number: back }]),
  ];
}
