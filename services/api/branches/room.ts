import { accounts } from '../accounts/room.ts';
import { chaptersIn, defineRoom } from '../http/room.ts';
import { branchErrors } from './errors.ts';
import { openBranches } from './open.ts';
import { postalCodeRoute } from './postal-codes/route.ts';
import { branchRoutes } from './routes.ts';

/** The carrier's branches, the postal codes that they cover, and the catalogue of postal codes. */
export const branches = defineRoom({
  name: 'branches',
  needs: [accounts],
  errors: branchErrors,
  personalData: 'none',
  open: openBranches,
  routes: [branchRoutes, postalCodeRoute],
  manual: { chapters: chaptersIn(import.meta.url, 'postales') },
});
