import { defineRoomData } from '../room-data.ts';
import { RETURNS } from './return-model.ts';

export const returnsData = defineRoomData({
  name: 'returns',
  about: 'Guides by which a parcel goes back, their list, and the link by which a person prints one',
  permissions: 'none',
  auditActions: 'none',
  actions: 'none',
  collections: [RETURNS],
  users: { moves: 'devoluciones', forgets: 'devoluciones', ends: 'enlaces de devolucion' },
  redis: {
    linkVisits: {
      keys: [':devolver:*'],
      holds: 'Look-ups on the page of a return, by address',
      life: '1 min',
      own: ['api'],
    },
  },
  settings: 'none',
  subjects: {
    Devoluciones: {
      place: 3.5,
      name: 'Devoluciones',
      description: 'Guías con las que un paquete vuelve, y el enlace para quien lo devuelve',
    },
  },
  chapters: {
    devoluciones: ['Crear guías', 4],
  },
  commands: 'none',
});
