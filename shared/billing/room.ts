import { defineRoomData } from '../room-data.ts';
import { LABEL_USAGE, USAGE } from './usage-model.ts';

export const billingData = defineRoomData({
  name: 'billing',
  about: 'What accounts used: the bills of the carrier, and the figures that each account sees',
  permissions: 'none',
  auditActions: 'none',
  actions: 'none',
  collections: [LABEL_USAGE, USAGE],
  users: 'none',
  redis: 'none',
  settings: 'none',
  subjects: { Uso: { place: 4.7, name: 'Uso', description: 'Lo que la cuenta usó, por mes y día' } },
  chapters: { uso: ['Consulta', 3] },
  commands: 'commands.ts',
});
