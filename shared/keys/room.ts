import { defineRoomData } from '../room-data.ts';

export const keysData = defineRoomData({
  name: 'keys',
  permissions: 'none',
  auditActions: ['key.*'],
  actions: 'none',
});
