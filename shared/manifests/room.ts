import { defineRoomData } from '../room-data.ts';
import { MANIFESTS } from './manifest-model.ts';

export const manifestsData = defineRoomData({
  name: 'manifests',
  about: 'What is handed over together: its list, its PDF, and its scan',
  permissions: 'none',
  auditActions: 'none',
  actions: {
    /** Hands guides over. */
    manifest: {
      ...{ name: 'manifiestos', fails: 'Hacer manifiestos falla', section: 'manifestsfail' },
      ...{ service: 'api', writes: true, asksBranches: false, accountsDo: 'none' },
      unique: { collection: MANIFESTS.name, refused: 'no se hacen manifiestos' },
    },
  },
  collections: [MANIFESTS],
  users: { moves: 'manifiestos', forgets: 'manifiestos', ends: 'none' },
  redis: 'none',
  settings: 'none',
  subjects: {
    Manifiestos: {
      place: 3,
      name: 'Manifiestos',
      description: 'La lista de lo que se entrega, para firma y sello',
    },
  },
  chapters: {
    manifiestos: ['Etiquetas', 3],
  },
  commands: 'none',
});
