import { defineRoomData } from '../room-data.ts';

export const branchesData = defineRoomData({
  name: 'branches',
  permissions: 'none',
  auditActions: ['branches.*', 'coverage.*', 'postal-codes.*'],
  actions: 'none', // its reads are `read` of guides
});
