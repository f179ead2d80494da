import { guidesData } from '#shared/guides/room.ts';
import { accounts } from '../accounts/room.ts';
import { branches } from '../branches/room.ts';
import { defineRoom } from '../http/room.ts';
import { creationRoutes } from './creation-routes.ts';
import { destinationRoute } from './destination-route.ts';
import { guideErrors } from './errors.ts';
import { listRoute } from './list-route.ts';
import { guideValues } from './manual.ts';
import { openGuides } from './open.ts';
import { guidesPersonalData } from './personal-data.ts';
import { guideRoute } from './routes.ts';

export const guides = defineRoom({
  data: guidesData,
  needs: [accounts, branches],
  errors: guideErrors,
  personalData: guidesPersonalData,
  changes: { what: ['crear guías'], repeated: ['Para crear guías use una clave.'] },
  open: openGuides,
  routes: [creationRoutes, guideRoute, listRoute, destinationRoute],
  manualValues: guideValues,
});
