import { chaptersIn, type Room } from '../http/room.ts';
import { creationRoutes } from './creation-routes.ts';
import { destinationRoute } from './destination-route.ts';
import { guideErrors } from './errors.ts';
import { listRoute } from './list-route.ts';
import { guideValues } from './manual.ts';
import { guidesPersonalData } from './personal-data.ts';
import { guidesPlugin } from './plugin.ts';
import { guideRoute } from './routes.ts';

/** Guides: their creation, their list, and what they are. */
export const guides: Room = {
  name: 'guides',
  errors: guideErrors,
  personalData: guidesPersonalData,
  plugins: [guidesPlugin],
  routes: [creationRoutes, guideRoute, listRoute, destinationRoute],
  manual: { chapters: chaptersIn(import.meta.url, 'campos', 'reintentos'), values: guideValues },
};
