import { trackingData } from '#shared/tracking/room.ts';
import { accounts } from '../accounts/room.ts';
import { branches } from '../branches/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { trackingErrors } from './errors.ts';
import { guideEventRoutes } from './guide-routes.ts';
import { trackingValues } from './manual.ts';
import { openTracking } from './open.ts';
import { trackingPageRoutes, trackingProblems } from './page/routes.ts';
import { trackingPersonalData } from './personal-data.ts';
import { eventRoutes } from './routes.ts';

export const tracking = defineRoom({
  data: trackingData,
  needs: [accounts, branches, guides],
  errors: trackingErrors,
  personalData: trackingPersonalData,
  changes: { what: ['registrar eventos', 'cancelar guías'], repeated: [] },
  open: openTracking,
  openRoutes: [trackingPageRoutes],
  routes: [eventRoutes, guideEventRoutes],
  onBadUrl: trackingProblems,
  manualValues: trackingValues,
});
