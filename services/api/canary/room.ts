import { canaryData } from '#shared/canary/room.ts';
import { accounts } from '../accounts/room.ts';
import { defineRoom } from '../http/room.ts';
import { keys } from '../keys/room.ts';
import { openCanary } from './open.ts';

export const canary = defineRoom({
  data: canaryData,
  needs: [accounts, keys],
  errors: {},
  open: openCanary,
  personalData: 'none',
  changes: 'none',
});
