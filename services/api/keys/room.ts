import { MAX_KEYS } from '#shared/keys/key-model.ts';
import { chaptersIn, type Room } from '../http/room.ts';
import { keyErrors } from './errors.ts';
import { keysPersonalData } from './personal-data.ts';
import { keysPlugin } from './plugin.ts';
import { keyRoutes } from './routes.ts';

/** API keys: what a program sends in place of a token. */
export const keys: Room = {
  name: 'keys',
  errors: keyErrors,
  plugins: [keysPlugin],
  routes: [keyRoutes],
  personalData: keysPersonalData,
  adds: {
    credential: {
      name: 'llave',
      scheme: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'gk_…',
        description: 'Una llave de `POST /api/llaves`, donde va el token',
      },
      errors: ['too-many-logins', 'overloaded'],
    },
  },
  manual: { chapters: chaptersIn(import.meta.url, 'llaves'), values: () => ({ maxLlaves: MAX_KEYS }) },
};
