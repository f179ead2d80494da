import { guides } from '../guides/room.ts';
import { chaptersIn, defineRoom } from '../http/room.ts';
import { INTRODUCTION } from './introduction.ts';
import { manualRoutes } from './routes.ts';

/** The guide for integrators: the chapters of all rooms, and a page to try requests. */
export const manual = defineRoom({
  name: 'manual',
  needs: [guides],
  errors: {},
  personalData: 'none',
  introduction: INTRODUCTION,
  guide: '/api/docs',
  openRoutes: [manualRoutes],
  manual: {
    chapters: chaptersIn(
      import.meta.url,
      'inicio',
      'probar',
      'cliente',
      'ejemplos',
      'operaciones',
      'errores',
      'cambios',
    ),
  },
});
