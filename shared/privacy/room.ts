import { defineRoomData } from '../room-data.ts';

export const privacyData = defineRoomData({
  name: 'privacy',
  permissions: 'none',
  auditActions: ['privacy.*'],
  actions: 'none',
  collections: 'none',
  redis: { retention: { keys: [':retention', ':retention-lease'], own: ['api'] } },
});
