import type { Room } from '../http/room.ts';
import { retentionPlugin } from './plugin.ts';

/** What names persons is kept no longer than it may be. */
export const privacy: Room = {
  name: 'privacy',
  errors: {},
  personalData: 'none',
  plugins: [retentionPlugin],
};
