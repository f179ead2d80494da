import { billingData } from '#shared/billing/room.ts';
import { accounts } from '../accounts/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { labels } from '../labels/room.ts';
import { openBilling } from './open.ts';
import { billingRoutes } from './routes.ts';

export const billing = defineRoom({
  data: billingData,
  needs: [accounts, guides, labels],
  errors: {},
  personalData: 'none',
  changes: 'none',
  open: openBilling,
  routes: [billingRoutes],
});
