import { chaptersIn, type Room } from '../http/room.ts';
import { rehearsalErrors } from './errors.ts';
import { simulationRoute } from './route.ts';

/** Test accounts play what happens to a parcel. */
export const rehearsal: Room = {
  name: 'rehearsal',
  errors: rehearsalErrors,
  personalData: 'none',
  routes: [simulationRoute],
  manual: { chapters: chaptersIn(import.meta.url, 'pruebas') },
};
