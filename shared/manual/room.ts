import { defineRoomData } from '../room-data.ts';

export const manualData = defineRoomData({
  name: 'manual',
  permissions: 'none',
  auditActions: 'none',
  actions: 'none',
  collections: 'none',
  redis: 'none',
});
