import { Type } from 'typebox';
import { defineRoomData } from '../room-data.ts';
import { EVENTS } from './event-model.ts';

export const trackingData = defineRoomData({
  name: 'tracking',
  about:
    'What happens to guides: the register of events, their feed, cancellations, and the page for recipients',
  permissions: { 'guias.cancel': 'own account', 'eventos.create': 'all accounts' },
  auditActions: ['guide.cancel'],
  actions: {
    /** Registers and simulates events, and cancels guides. */
    event: {
      ...{ name: 'eventos', fails: 'Registrar eventos falla', section: 'eventsfail' },
      ...{ service: 'api', writes: true, asksBranches: false, accountsDo: 'none' },
    },
  },
  collections: [EVENTS],
  users: { moves: 'none', forgets: 'eventos', ends: 'none' },
  redis: {
    visits: {
      keys: [':tracking:*'],
      holds: 'Look-ups on the tracking page, by address',
      life: '1 min',
      own: ['api'],
    },
  },
  settings: {
    CARRIER_CONTACT: Type.Optional(
      Type.String({
        format: 'contact',
        description:
          'Where the tracking page sends people with a question: a phone, an e-mail address, or the address of a page',
        examples: ['81 5000 0000'],
      }),
    ),
  },
  subjects: {
    Eventos: { place: 4, name: 'Eventos', description: 'Qué pasó con las guías, y cómo seguirlo' },
  },
  chapters: {
    rastreo: ['Seguimiento', 1],
  },
  commands: 'commands.ts',
});
