import { defineRoomData } from '../room-data.ts';
import { EVENTS } from './event-model.ts';

export const trackingData = defineRoomData({
  name: 'tracking',
  permissions: ['guias.cancel', 'eventos.create'],
  auditActions: ['guide.cancel'],
  actions: {
    /** Registers and simulates events, and cancels guides. */
    event: {
      ...{ name: 'eventos', fails: 'Registrar eventos falla', section: 'eventsfail' },
      ...{ service: 'api', writes: true, asksBranches: false, accountsDo: 'none' },
    },
  },
  collections: [EVENTS],
  redis: { visits: { keys: [':tracking:*'], own: ['api'] } },
});
