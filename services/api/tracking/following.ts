import type { Connection } from 'mongoose';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';

/**
 * Stores what a room makes of guides whose log has grown, before readers of the feed see that. It is called again after a
 * crash, and may be called for what it has stored. Another process may have appended more than `told` meanwhile.
 */
export type Follower = (
  guides: readonly { guide: GuideDocument; told: readonly EventBody[] }[],
) => Promise<void>;

/** What commands have for it: rooms add what makes theirs by what the database has. */
export type FollowingTools = { followers: ((mongo: Connection) => Follower)[] };
