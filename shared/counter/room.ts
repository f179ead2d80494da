import { defineRoomData } from '../room-data.ts';

export const counterData = defineRoomData({
  name: 'counter',
  about: 'A page for customers without programmers, which calls the API as their programs do',
  permissions: 'none',
  auditActions: 'none',
  actions: 'none',
  collections: 'none',
  users: 'none',
  redis: 'none',
  settings: 'none',
  subjects: 'none',
  chapters: { mostrador: ['Empezar', 7] },
  commands: 'none',
});
