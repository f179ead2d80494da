import { manualData } from '#shared/manual/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { introduction } from './introduction.ts';
import { manualRoutes } from './routes.ts';

export const manual = defineRoom({
  data: manualData,
  needs: [guides],
  errors: {},
  personalData: 'none',
  changes: 'none',
  introduction,
  guide: '/api/docs',
  openRoutes: [manualRoutes],
});
