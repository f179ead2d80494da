import { pickupsData } from '#shared/pickups/room.ts';
import { accounts } from '../accounts/room.ts';
import { branches } from '../branches/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { labels } from '../labels/room.ts';
import { manifests } from '../manifests/room.ts';
import { rehearsal } from '../rehearsal/room.ts';
import { tracking } from '../tracking/room.ts';
import { webhooks } from '../webhooks/room.ts';
import { ADDED_BY_PICKUPS } from './added-schemas.ts';
import { pickupErrors } from './errors.ts';
import { PICKUP_MESSAGES } from './messages.ts';
import { openPickups } from './open.ts';
import { pickupsPersonalData } from './personal-data.ts';
import { pickupRoutes } from './routes.ts';
import { staffRoutes } from './staff-routes.ts';

export const pickups = defineRoom({
  data: pickupsData,
  needs: [accounts, branches, guides, labels, tracking, rehearsal, manifests, webhooks],
  errors: pickupErrors,
  personalData: pickupsPersonalData,
  changes: {
    what: ['pedir y cancelar recolecciones', 'decir qué pasó con ellas'],
    repeated: ['Para pedir una recolección use una clave.'],
  },
  adds: ADDED_BY_PICKUPS,
  messages: PICKUP_MESSAGES,
  open: openPickups,
  routes: [pickupRoutes, staffRoutes],
});
