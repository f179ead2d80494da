import { chaptersIn, type Room } from '../http/room.ts';
import { manifestErrors } from './errors.ts';
import { manifestsPersonalData } from './personal-data.ts';
import { manifestsPlugin } from './plugin.ts';
import { manifestRoutes } from './routes.ts';

/** What is handed over together: its list, its PDF, and its scan. */
export const manifests: Room = {
  name: 'manifests',
  errors: manifestErrors,
  personalData: manifestsPersonalData,
  addedErrors: { registrarEventos: ['manifest-not-found', 'guide-not-in-manifest'] },
  plugins: [manifestsPlugin],
  routes: [manifestRoutes],
  manual: { chapters: chaptersIn(import.meta.url, 'manifiestos') },
};
