import { FAILURES_PER_USER } from '#shared/accounts/login-limit.ts';
import { accountsData } from '#shared/accounts/room.ts';
import type { ApiConfig } from '../config.ts';
import { defineRoom } from '../http/room.ts';
import { accountErrors } from './errors.ts';
import { loginRoute } from './login-route.ts';
import { openAccounts } from './open.ts';
import { passwordRoute } from './password-route.ts';
import { MAX_PASSWORD, MIN_PASSWORD, ONE_TIME_DAYS } from './password-rule.ts';
import { accountsPersonalData } from './personal-data.ts';
import { tokenRoutes } from './token-routes.ts';

export const accounts = defineRoom({
  data: accountsData,
  needs: [],
  errors: accountErrors,
  personalData: accountsPersonalData,
  changes: {
    what: ['cambiar la contraseña', 'cerrar la sesión'],
    repeated: ['Tras cambiar la [contraseña](/api/docs/contrasena), entre primero con la nueva.'],
  },
  open: openAccounts,
  openRoutes: [loginRoute, passwordRoute],
  routes: [tokenRoutes],
  manualValues: accountValues,
});

function accountValues(config: ApiConfig) {
  return {
    REQUESTS_PER_SECOND_PER_ACCOUNT: config.REQUESTS_PER_SECOND_PER_ACCOUNT,
    REQUESTS_BURST_PER_ACCOUNT: config.REQUESTS_BURST_PER_ACCOUNT,
    GUIDES_PER_DAY_PER_ACCOUNT: config.GUIDES_PER_DAY_PER_ACCOUNT,
    LABEL_PAGES_PER_ACCOUNT: config.LABEL_PAGES_PER_ACCOUNT,
    LOGIN_FAILURES_PER_ADDRESS: config.LOGIN_FAILURES_PER_ADDRESS,
    JWT_TTL_S: config.JWT_TTL_S,
    diasDeTemporal: ONE_TIME_DAYS,
    minContrasena: MIN_PASSWORD,
    maxContrasena: MAX_PASSWORD,
    fallosPorUsuario: FAILURES_PER_USER,
  };
}
