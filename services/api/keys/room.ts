import { MAX_KEYS } from '#shared/keys/key-model.ts';
import { keysData } from '#shared/keys/room.ts';
import { accounts } from '../accounts/room.ts';
import { defineRoom } from '../http/room.ts';
import { keyErrors } from './errors.ts';
import { openKeys } from './open.ts';
import { keysPersonalData } from './personal-data.ts';
import { keyRoutes } from './routes.ts';

export const keys = defineRoom({
  data: keysData,
  needs: [accounts],
  errors: keyErrors,
  open: openKeys,
  routes: [keyRoutes],
  personalData: keysPersonalData,
  changes: {
    what: ['administrar llaves'],
    repeated: ['`POST /api/llaves` crea otra [llave](/api/docs/llaves).'],
  },
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
  manualValues: () => ({ maxLlaves: MAX_KEYS }),
});
