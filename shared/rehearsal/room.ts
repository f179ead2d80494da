import { defineRoomData } from '../room-data.ts';

export const rehearsalData = defineRoomData({
  name: 'rehearsal',
  about: 'Test accounts play what happens to a parcel',
  permissions: 'none',
  auditActions: 'none',
  actions: 'none',
  collections: 'none',
  users: 'none',
  redis: 'none',
  settings: 'none',
  subjects: 'none',
  chapters: {
    pruebas: ['Empezar', 3],
  },
  commands: 'none',
});
