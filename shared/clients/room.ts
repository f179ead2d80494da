import { defineRoomData } from '../room-data.ts';

export const clientsData = defineRoomData({
  name: 'clients',
  about: 'Client packages for TypeScript and Python, which are made of the OpenAPI document',
  permissions: 'none',
  auditActions: 'none',
  actions: 'none',
  collections: 'none',
  users: 'none',
  redis: 'none',
  settings: 'none',
  subjects: 'none',
  chapters: { cliente: ['Empezar', 5] },
  commands: 'none',
});
