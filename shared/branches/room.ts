import { Type } from 'typebox';
import { defineRoomData } from '../room-data.ts';
import { BRANCHES, COVERAGE, GENERATIONS } from './branch-store.ts';
import { POSTAL_CODES } from './postal-code-store.ts';

export const branchesData = defineRoomData({
  name: 'branches',
  about: "The carrier's branches, the postal codes that they cover, and the catalogue of postal codes",
  permissions: 'none',
  auditActions: ['branches.*', 'coverage.*', 'postal-codes.*'],
  actions: 'none', // its reads are `read` of guides
  collections: [BRANCHES, COVERAGE, GENERATIONS, POSTAL_CODES],
  users: 'none',
  redis: {
    branches: {
      keys: [':branches', ':branches:*'],
      holds: 'Branches and coverage; the next version while it is written',
      life: 'Until the next load; 60 s',
      own: ['branches'],
    },
  },
  settings: {
    BRANCHES_URL: Type.String({
      format: 'service-url',
      description: 'Base URL of the branches service',
      examples: ['http://127.0.0.1:3001'],
    }),
  },
  subjects: {
    Sucursales: { place: 6, name: 'Sucursales', description: 'Sucursales, cobertura y códigos postales' },
  },
  chapters: {
    postales: ['Crear guías', 2],
  },
  commands: 'none',
});
