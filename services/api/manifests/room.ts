import { manifestsData } from '#shared/manifests/room.ts';
import { accounts } from '../accounts/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { labels } from '../labels/room.ts';
import { tracking } from '../tracking/room.ts';
import { manifestErrors } from './errors.ts';
import { openManifests } from './open.ts';
import { manifestsPersonalData } from './personal-data.ts';
import { manifestRoutes } from './routes.ts';
import { SCANS } from './scan-schemas.ts';

export const manifests = defineRoom({
  data: manifestsData,
  needs: [accounts, guides, labels, tracking],
  errors: manifestErrors,
  personalData: manifestsPersonalData,
  changes: { what: ['hacer manifiestos'], repeated: ['Para hacer un manifiesto use una clave.'] },
  adds: SCANS,
  open: openManifests,
  routes: [manifestRoutes],
});
