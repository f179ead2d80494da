import { evidenceData } from '#shared/evidence/room.ts';
import { accounts } from '../accounts/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { labels } from '../labels/room.ts';
import { tracking } from '../tracking/room.ts';
import { evidenceErrors } from './errors.ts';
import { openEvidence } from './open.ts';
import { evidencePersonalData } from './personal-data.ts';
import { evidenceRoutes } from './routes.ts';
import { ENTRIES } from './schemas.ts';
import { uploadRoute } from './upload-route.ts';

export const evidence = defineRoom({
  data: evidenceData,
  needs: [accounts, guides, labels, tracking],
  errors: evidenceErrors,
  personalData: evidencePersonalData,
  changes: { what: ['guardar evidencia'], repeated: [] },
  adds: ENTRIES,
  open: openEvidence,
  routes: [uploadRoute, evidenceRoutes],
});
