import { chaptersIn, type Room } from '../http/room.ts';
import { branchErrors } from './errors.ts';
import { branchesPlugin } from './plugin.ts';
import { postalCodesPlugin } from './postal-codes/plugin.ts';
import { postalCodeRoute } from './postal-codes/route.ts';
import { branchRoutes } from './routes.ts';

/** The carrier's branches, the postal codes that they cover, and the catalogue of postal codes. */
export const branches: Room = {
  name: 'branches',
  errors: branchErrors,
  personalData: 'none',
  plugins: [branchesPlugin, postalCodesPlugin],
  routes: [branchRoutes, postalCodeRoute],
  manual: { chapters: chaptersIn(import.meta.url, 'postales') },
};
