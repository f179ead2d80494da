import { rehearsalData } from '#shared/rehearsal/room.ts';
import { accounts } from '../accounts/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { tracking } from '../tracking/room.ts';
import { rehearsalErrors } from './errors.ts';
import { openRehearsal } from './open.ts';
import { simulationRoute } from './route.ts';

export const rehearsal = defineRoom({
  data: rehearsalData,
  needs: [accounts, guides, tracking],
  errors: rehearsalErrors,
  personalData: 'none',
  changes: { what: ['simular'], repeated: ['`simular` hace pasar todo otra vez.'] },
  open: openRehearsal,
  routes: [simulationRoute],
});
