import { defineRoomData } from '../room-data.ts';
import { TARIFFS } from './tariff-model.ts';

export const quotesData = defineRoomData({
  name: 'quotes',
  about: 'What a guide costs: tariffs, quotes, adjustments, and the page that calculates',
  permissions: { 'guias.quote': 'own account' },
  auditActions: ['tariffs.*'],
  actions: {
    quote: {
      ...{ name: 'cotizar', fails: 'Cotizar falla', section: 'quotesfail' },
      ...{ service: 'api', writes: false, asksBranches: true, accountsDo: 'cotizan' },
    },
  },
  collections: [TARIFFS],
  users: 'none',
  redis: {
    calculations: {
      keys: [':calculator:*'],
      holds: 'Prices asked for on the quote page, by address',
      life: '1 min',
      own: ['api'],
    },
  },
  settings: 'none',
  subjects: 'none',
  chapters: {
    cotizar: ['Crear guías', 3],
  },
  commands: 'commands.ts',
});
