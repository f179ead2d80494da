import { defineRoomData } from '../room-data.ts';

export const canaryData = defineRoomData({
  name: 'canary',
  permissions: 'none',
  auditActions: 'none',
  actions: 'none',
  collections: 'none',
  users: 'none',
  redis: 'none',
  settings: 'none',
  subjects: 'none',
  chapters: 'none',
});
