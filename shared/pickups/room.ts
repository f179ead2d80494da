import { defineRoomData } from '../room-data.ts';
import { PICKUP_CALENDARS } from './calendar-model.ts';
import { PICKUPS } from './pickup-model.ts';

export const pickupsData = defineRoomData({
  name: 'pickups',
  about: 'Pick-ups: a customer asks the carrier to come for parcels, and what became of it',
  permissions: { 'recolecciones.admin': 'all accounts' },
  auditActions: ['pickups.list', 'pickups.state'],
  actions: {
    /** Asks for a pick-up, cancels it, or tells what became of it. */
    pickup: {
      ...{ name: 'recolecciones', fails: 'Pedir recolecciones falla', section: 'requestsfail' },
      ...{ service: 'api', writes: true, asksBranches: true, accountsDo: 'none' },
      unique: { collection: PICKUPS.name, refused: 'no se piden recolecciones' },
    },
  },
  collections: [PICKUPS, PICKUP_CALENDARS],
  users: { moves: 'recolecciones', forgets: 'recolecciones', ends: 'none' },
  redis: 'none',
  settings: 'none',
  subjects: {
    Recolecciones: {
      place: 3.5,
      name: 'Recolecciones',
      description: 'Pedir que el transportista pase por los paquetes',
    },
  },
  chapters: {
    recolecciones: ['Etiquetas', 4],
  },
  commands: 'commands.ts',
});
