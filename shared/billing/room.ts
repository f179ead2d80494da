import { defineRoomData } from '../room-data.ts';

export const billingData = defineRoomData({
  name: 'billing',
  permissions: 'none',
  auditActions: 'none',
  actions: 'none',
});
