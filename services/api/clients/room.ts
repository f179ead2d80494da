import { clientsData } from '#shared/clients/room.ts';
import { defineRoom } from '../http/room.ts';
import { clientRoutes, clientValues } from './routes.ts';

export const clients = defineRoom({
  data: clientsData,
  needs: [],
  errors: {},
  personalData: 'none',
  changes: 'none',
  builds: async (folder, document) => (await import('./build.ts')).buildClients(folder, await document()),
  openRoutes: [clientRoutes],
  manualValues: clientValues,
});
