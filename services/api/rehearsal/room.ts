import { accounts } from '../accounts/room.ts';
import { guides } from '../guides/room.ts';
import { chaptersIn, defineRoom } from '../http/room.ts';
import { tracking } from '../tracking/room.ts';
import { rehearsalErrors } from './errors.ts';
import { simulationRoute } from './route.ts';

/** Test accounts play what happens to a parcel. */
export const rehearsal = defineRoom({
  name: 'rehearsal',
  needs: [accounts, guides, tracking],
  errors: rehearsalErrors,
  personalData: 'none',
  routes: [simulationRoute],
  manual: { chapters: chaptersIn(import.meta.url, 'pruebas') },
});
