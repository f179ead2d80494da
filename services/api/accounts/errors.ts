import type { LoginCode } from '#shared/accounts/login.ts';
import type { CodesOf } from '#shared/errors/domain-error.ts';
import { retryAfter } from '#shared/http/http-errors.ts';
import { type ErrorTable, limitReached, type requestErrors, unknownOutcome } from '../http/errors.ts';

/** A 401 must have a challenge (RFC 9110, 11.6.1). No scheme is registered for a login by headers, so this is our own. */
const LOGIN_CHALLENGE = 'Login headers="X-Username X-Password"';

/** The errors of logins, passwords and limits. */
export const accountErrors = {
  'credentials-missing': {
    status: 400,
    codigo: 'login_headers_faltan',
    message: 'Se requieren los headers X-Username y X-Password',
    advice: 'Mande los dos headers, `X-Username` y `X-Password`. El cuerpo no cuenta.',
  },
  'credentials-wrong': {
    status: 401,
    codigo: 'credenciales_incorrectas',
    message: 'Usuario o contrasena incorrectos',
    headers: { 'WWW-Authenticate': LOGIN_CHALLENGE },
    advice: 'Revise usuario y contraseña, y no repita con los mismos: los intentos fallidos se cuentan.',
  },
  'password-one-time': {
    status: 403,
    codigo: 'contrasena_temporal',
    message: 'Su contrasena es temporal: cambiela con POST /api/auth/password y entre con la nueva',
    advice:
      'Elija la suya con `POST /api/auth/password`: la temporal va en `X-Password`, la nueva en `ContrasenaNueva`.',
  },
  'password-one-time-expired': {
    status: 403,
    codigo: 'contrasena_temporal_vencida',
    message: 'Su contrasena temporal vencio: pida otra a su transportista',
    advice: 'Pida otra a su transportista, y cámbiela antes de la fecha que le diga.',
  },
  'password-replaced': {
    status: 409,
    codigo: 'contrasena_reemplazada',
    message: 'Esa contrasena ya se cambio: use la nueva',
    advice:
      'Otro de sus programas la cambió antes. La contraseña solo se cambia con la actual; la de antes, si se conservó, sirve para entrar hasta que vence.',
  },
  'token-required': {
    status: 403,
    codigo: 'requiere_token',
    message: 'Entre con usuario y contrasena: esto no se hace con una llave',
    advice: 'Pida un token con `POST /api/auth/login` y mándelo en lugar de la llave.',
  },
  'too-many-logins': {
    status: 429,
    codigo: 'demasiados_intentos',
    message: 'Demasiados intentos, intente mas tarde',
    headers: retryAfter,
    advice:
      'Espere lo que dice `Retry-After`. Guarde `access_token` y úselo hasta que expire, en vez de entrar en cada solicitud.',
  },
  'too-many-guides-today': {
    ...limitReached,
    message: 'Cuota diaria de guias excedida, intente mas tarde',
  },
  /** No `Retry-After`: after a change the password before may be wrong, and counts as a failed login. */
  'password-unknown': {
    ...unknownOutcome,
    message: 'No se sabe si la contrasena se cambio; entre con la nueva, o si no vale con la de antes',
    advice: 'Entre con la contraseña nueva. Si no vale, nada cambió: repita la misma solicitud.',
  },
} as const satisfies ErrorTable & Record<Exclude<LoginCode, keyof typeof requestErrors>, unknown>;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof accountErrors> {}
}
