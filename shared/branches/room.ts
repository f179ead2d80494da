import { defineRoomData } from '../room-data.ts';
import { BRANCHES, COVERAGE, GENERATIONS } from './branch-store.ts';
import { POSTAL_CODES } from './postal-code-store.ts';

export const branchesData = defineRoomData({
  name: 'branches',
  permissions: 'none',
  auditActions: ['branches.*', 'coverage.*', 'postal-codes.*'],
  actions: 'none', // its reads are `read` of guides
  collections: [BRANCHES, COVERAGE, GENERATIONS, POSTAL_CODES],
  redis: { branches: { keys: [':branches', ':branches:*'], own: ['branches'] } },
});
