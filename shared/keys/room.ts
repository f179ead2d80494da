import { defineRoomData } from '../room-data.ts';
import { KEYS } from './key-model.ts';

export const keysData = defineRoomData({
  name: 'keys',
  permissions: 'none',
  auditActions: ['key.*'],
  actions: 'none',
  collections: [KEYS],
  redis: 'none',
});
