import { chaptersIn, type Room } from '../http/room.ts';
import { INTRODUCTION } from './introduction.ts';
import { manualRoutes } from './routes.ts';

/** The guide for integrators: the chapters of all rooms, and a page to try requests. */
export const manual: Room = {
  name: 'manual',
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
};
