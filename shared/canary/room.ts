import { defineRoomData } from '../room-data.ts';

export const canaryData = defineRoomData({
  name: 'canary',
  about: "The canary's account, and what a process tries with it before customers come",
  permissions: 'none',
  auditActions: 'none',
  actions: 'none',
  collections: 'none',
  users: 'none',
  redis: 'none',
  settings: 'none',
  subjects: 'none',
  chapters: 'none',
  commands: 'commands.ts',
});
