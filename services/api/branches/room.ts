import { branchesData } from '#shared/branches/room.ts';
import { accounts } from '../accounts/room.ts';
import { defineRoom } from '../http/room.ts';
import { branchErrors } from './errors.ts';
import { openBranches } from './open.ts';
import { postalCodeRoute } from './postal-codes/route.ts';
import { branchRoutes } from './routes.ts';

export const branches = defineRoom({
  data: branchesData,
  needs: [accounts],
  errors: branchErrors,
  personalData: 'none',
  changes: 'none',
  open: openBranches,
  routes: [branchRoutes, postalCodeRoute],
});
