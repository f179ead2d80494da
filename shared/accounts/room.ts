import { defineRoomData } from '../room-data.ts';
import { ACCOUNTS } from './account-model.ts';
import { accountSettings, loginSettings } from './settings.ts';
import { USERS } from './user-model.ts';

/** Users and their accounts. `admin.*` are the commands of `npm run admin`. */
export const accountsData = defineRoomData({
  name: 'accounts',
  about: 'Users and their accounts: logins, tokens, permissions, limits',
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
    logins: {
      keys: [':login-*'],
      holds: 'Failed logins; hashes of addresses from which a user logged in',
      life: '15 min; 30 days',
      own: ['api'],
    },
    requests: {
      keys: [':requests-*'],
      holds: "Until when an account's requests are paid for; that an account tries a webhook",
      life: 'Until then; 20 s',
      own: ['api'],
    },
    guideCounts: {
      keys: [':guides-account:*'],
      holds: 'Guides that an account created in a day',
      life: '2 days',
      own: ['api'],
    },
  },
  settings: { ...loginSettings, ...accountSettings },
  subjects: {
    Autenticacion: { place: 8, name: 'Autenticación', description: 'Entrar, validar el token, permisos' },
  },
  chapters: {
    contrasena: ['Empezar', 7],
    limites: ['Consulta', 2],
  },
  commands: 'commands.ts',
});
