import { chaptersIn, type Room } from '../http/room.ts';
import { manifestErrors } from './errors.ts';
import { manifestsPersonalData } from './personal-data.ts';
import { manifestsPlugin } from './plugin.ts';
import { manifestRoutes } from './routes.ts';
import { SCANS } from './scan-schemas.ts';

/** What is handed over together: its list, its PDF, and its scan. */
export const manifests: Room = {
  name: 'manifests',
  errors: manifestErrors,
  personalData: manifestsPersonalData,
  adds: SCANS,
  plugins: [manifestsPlugin],
  routes: [manifestRoutes],
  manual: { chapters: chaptersIn(import.meta.url, 'manifiestos') },
};
