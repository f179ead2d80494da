import { defineRoomData } from '../room-data.ts';
import { KEYS } from './key-model.ts';

export const keysData = defineRoomData({
  name: 'keys',
  about: 'API keys: what a program sends in place of a token',
  permissions: 'none',
  auditActions: ['key.*'],
  actions: {
    /** Makes, lists and ends keys. */
    key: {
      ...{ name: 'administrar llaves', fails: 'Hacer, ver o terminar llaves falla', section: 'requestsfail' },
      ...{ service: 'api', writes: true, asksBranches: false, accountsDo: 'none' },
    },
  },
  collections: [KEYS],
  users: { moves: 'none', forgets: 'none', ends: 'llaves' },
  redis: 'none',
  settings: 'none',
  subjects: {
    Llaves: { place: 7, name: 'Llaves', description: 'Lo que un programa manda en lugar de un token' },
  },
  chapters: {
    llaves: ['Empezar', 2],
  },
  commands: 'commands.ts',
});
