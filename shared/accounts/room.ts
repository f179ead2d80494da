import { defineRoomData } from '../room-data.ts';
import { ACCOUNTS } from './account-model.ts';
import { accountSettings, loginSettings } from './settings.ts';
import { USERS } from './user-model.ts';

/** Users and their accounts. `admin.*` are the commands of `npm run admin`. */
export const accountsData = defineRoomData({
  name: 'accounts',
  permissions: 'none',
  auditActions: ['login', 'login.locked', 'logout', 'password.change', 'admin.*'],
  actions: {
    login: {
      ...{ name: 'entrar', fails: 'Entrar a la API falla', section: 'loginsfail' },
      ...{ service: 'api', writes: false, asksBranches: false, accountsDo: 'none' },
    },
    /** Validates and ends a token, says what it may do, and changes a password. */
    account: {
      ...{ name: 'token y contraseña', fails: 'Validar el token o cambiar la contraseña falla' },
      ...{ section: 'requestsfail', service: 'api', writes: true, asksBranches: false, accountsDo: 'none' },
    },
  },
  collections: [USERS, ACCOUNTS],
  users: 'none', // its own commands store and remove them
  redis: {
    logins: { keys: [':login-*'], own: ['api'] },
    requests: { keys: [':requests-*'], own: ['api'] },
    guideCounts: { keys: [':guides-account:*'], own: ['api'] },
  },
  settings: { ...loginSettings, ...accountSettings },
  subjects: {
    Autenticacion: { place: 8, name: 'Autenticación', description: 'Entrar, validar el token, permisos' },
  },
  chapters: {
    contrasena: ['Empezar', 7],
    limites: ['Consulta', 2],
  },
});
