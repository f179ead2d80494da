import { defineRoomData } from '../room-data.ts';
import { TARIFFS } from './tariff-model.ts';

export const quotesData = defineRoomData({
  name: 'quotes',
  permissions: ['guias.quote'],
  auditActions: ['tariffs.*'],
  actions: {
    quote: {
      ...{ name: 'cotizar', fails: 'Cotizar falla', section: 'quotesfail' },
      ...{ service: 'api', writes: false, asksBranches: true, accountsDo: 'cotizan' },
    },
  },
  collections: [TARIFFS],
  users: 'none',
  redis: { calculations: { keys: [':calculator:*'], own: ['api'] } },
  settings: 'none',
  subjects: 'none',
  chapters: {
    cotizar: ['Crear guías', 3],
  },
});
