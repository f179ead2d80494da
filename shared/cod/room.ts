import { defineRoomData } from '../room-data.ts';
import { COD_COLLECTIONS } from './collection-model.ts';
import { COD_LEDGER } from './ledger-model.ts';

export const codData = defineRoomData({
  name: 'cod',
  about: 'Cash on delivery: what is collected for customers, and what they are paid',
  permissions: { 'guias.cobro': 'own account' },
  auditActions: 'none',
  actions: 'none',
  collections: [COD_LEDGER, COD_COLLECTIONS],
  users: 'none',
  redis: 'none',
  settings: 'none',
  subjects: {
    Cobros: {
      place: 4.5,
      name: 'Cobros',
      description: 'Lo que se cobra al entregar, y lo que se le paga',
    },
  },
  chapters: {
    cobros: ['Seguimiento', 3],
  },
  commands: 'commands.ts',
});
