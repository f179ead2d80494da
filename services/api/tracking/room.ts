import { chaptersIn, type Room } from '../http/room.ts';
import { trackingErrors } from './errors.ts';
import { guideEventRoutes } from './guide-routes.ts';
import { trackingValues } from './manual.ts';
import { trackingPageRoutes, trackingProblems } from './page/routes.ts';
import { trackingPersonalData } from './personal-data.ts';
import { trackingPlugin } from './plugin.ts';
import { eventRoutes } from './routes.ts';

/** What happens to guides: the register of events, their feed, cancellations, and the page for recipients. */
export const tracking: Room = {
  name: 'tracking',
  errors: trackingErrors,
  personalData: trackingPersonalData,
  plugins: [trackingPlugin],
  openRoutes: [trackingPageRoutes],
  routes: [eventRoutes, guideEventRoutes],
  onBadUrl: trackingProblems,
  manual: { chapters: chaptersIn(import.meta.url, 'rastreo'), values: trackingValues },
};
