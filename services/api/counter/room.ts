import { counterData } from '#shared/counter/room.ts';
import { defineRoom } from '../http/room.ts';
import { labels } from '../labels/room.ts';
import { counterRoutes } from './routes.ts';

/**
 * A client like any other: pages, styles and a program in the browser (`browser/`) that calls the public API and nothing else. It has
 * no session, and no right that a customer's program has not.
 */
export const counter = defineRoom({
  data: counterData,
  needs: [labels],
  errors: {},
  personalData: 'none',
  changes: 'none',
  builds: async (folder) => (await import('./build.ts')).buildCounter(folder),
  openRoutes: [counterRoutes],
});
