import { Type } from 'typebox';
import { defineRoomData } from '../room-data.ts';

export const privacyData = defineRoomData({
  name: 'privacy',
  about: 'What names persons is kept no longer than it may be',
  permissions: 'none',
  auditActions: ['privacy.*'],
  actions: 'none',
  collections: 'none',
  users: 'none',
  redis: {
    retention: {
      keys: [':retention', ':retention-lease'],
      holds: 'Progress of the walk over old guides, and the process that walks',
      life: 'For ever; 1 min',
      own: ['api'],
    },
  },
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
  commands: 'commands.ts',
});
