import { defineRoomData } from '../room-data.ts';
import { CREATIONS } from './creation-model.ts';
import { GUIDES } from './guide-model.ts';

/** `soporte.*` and `support.*`: guides, what happened to them, and whom they name, on the dashboard. */
export const guidesData = defineRoomData({
  name: 'guides',
  about: 'Guides: their creation, their list, and what they are',
  permissions: {
    'guias.create': 'own account',
    'guias.read': 'own account',
    'guias.read.all': 'all accounts',
    'soporte.read': 'all accounts',
    'soporte.personas': 'all accounts',
  },
  auditActions: ['guide.read-other', 'support.*'],
  actions: {
    create: {
      ...{ name: 'crear', fails: 'Crear guías falla', section: 'creationsfail' },
      ...{ service: 'api', writes: true, asksBranches: true, accountsDo: 'crean guías' },
    },
    /** Stores nothing: guides, events, coverage, manifests, `validar`. */
    read: {
      ...{ name: 'consultar', fails: 'Consultar guías, eventos o cobertura falla', section: 'requestsfail' },
      ...{ service: 'api', writes: false, asksBranches: true, accountsDo: 'consultan' },
    },
  },
  collections: [GUIDES, CREATIONS],
  users: { moves: 'guias', forgets: 'guias', ends: 'none' },
  redis: 'none',
  settings: 'none',
  subjects: {
    Guias: { place: 1, name: 'Guías', description: 'Crear, leer y cancelar guías, y validarlas antes' },
  },
  chapters: {
    campos: ['Crear guías', 1],
    reintentos: ['Crear guías', 4],
  },
  commands: 'none',
});
