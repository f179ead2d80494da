import { defineRoomData } from '../room-data.ts';

export const manualData = defineRoomData({
  name: 'manual',
  about: 'The guide for integrators: the chapters of all rooms, and a page to try requests',
  permissions: 'none',
  auditActions: 'none',
  actions: 'none',
  collections: 'none',
  users: 'none',
  redis: 'none',
  settings: 'none',
  subjects: 'none',
  chapters: {
    inicio: ['Empezar', 1],
    probar: ['Empezar', 4],
    ejemplos: ['Empezar', 6],
    tiendas: ['Empezar', 7],
    operaciones: ['Operaciones', 1],
    errores: ['Consulta', 1],
    listas: ['Consulta', 2.5],
    cambios: ['Consulta', 3],
  },
  commands: 'none',
});
