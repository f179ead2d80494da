import { defineRoomData } from '../room-data.ts';

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
});
