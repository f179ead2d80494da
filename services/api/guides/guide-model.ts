import type { GuideDocument } from '#shared/guides/guide-model.ts';

/** A guide in the names of the code. The stored ones are older, and stay: two releases run side by side. */
export type GuideRecord = Omit<GuideDocument, '_id' | 'events'> & { number: string; eventCount?: number };

export function toDocument({ number, eventCount, ...guide }: GuideRecord): GuideDocument {
  return { _id: number, ...guide, ...(eventCount !== undefined && { events: eventCount }) };
}

export function toRecord({ _id, events, ...guide }: GuideDocument): GuideRecord {
  return { number: _id, ...guide, ...(events !== undefined && { eventCount: events }) };
}
