import { Type } from 'typebox';
import { defineRoomData } from '../room-data.ts';

export const privacyData = defineRoomData({
  name: 'privacy',
  permissions: 'none',
  auditActions: ['privacy.*'],
  actions: 'none',
  collections: 'none',
  users: 'none',
  redis: { retention: { keys: [':retention', ':retention-lease'], own: ['api'] } },
  settings: {
    RETENTION_DAYS: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 36_500,
      description: 'Age in days at which guides lose all that names a person, for good. 0 keeps it for ever',
    }),
  },
  subjects: 'none',
  chapters: 'none',
});
