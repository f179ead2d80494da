import { defineRoomData } from '../room-data.ts';
import { LABEL_USAGE, USAGE } from './usage-model.ts';

export const billingData = defineRoomData({
  name: 'billing',
  about: 'What accounts used, for their bills',
  permissions: 'none',
  auditActions: 'none',
  actions: 'none',
  collections: [LABEL_USAGE, USAGE],
  users: 'none',
  redis: 'none',
  settings: 'none',
  subjects: 'none',
  chapters: 'none',
  commands: 'commands.ts',
});
