import type { LoginCode } from '#shared/accounts/login.ts';
import type { CodesOf } from '#shared/errors/domain-error.ts';
import { type HttpError, type HttpErrors, retryAfter } from '#shared/http/http-errors.ts';

/** The dashboard's own errors, in the words of its pages. */
export const dashboardErrors = {
  'credentials-missing': {
    status: 400,
    codigo: 'credenciales_faltan',
    message: 'Escriba su usuario y su contraseña',
  },
  'credentials-wrong': {
    status: 401,
    codigo: 'credenciales_incorrectas',
    message: 'Usuario o contraseña incorrectos',
  },
  'password-one-time': {
    status: 403,
    codigo: 'contrasena_temporal',
    message:
      'Su contraseña es temporal: cámbiela primero en la API, con POST /api/auth/password, o pida a quien administra los usuarios que le ponga la suya',
  },
  'password-one-time-expired': {
    status: 403,
    codigo: 'contrasena_temporal_vencida',
    message: 'Su contraseña temporal venció: pida otra a quien administra los usuarios',
  },
  'too-many-logins': {
    status: 429,
    codigo: 'demasiados_intentos',
    message: ({ seconds }) => `Demasiados intentos: espere ${Math.ceil(Number(seconds) / 60)} min`,
    headers: retryAfter,
  },
  overloaded: {
    logLevel: 'silent',
    status: 503,
    codigo: 'saturado',
    message: 'Demasiadas personas entran a la vez: intente de nuevo',
    headers: retryAfter,
  },
  forbidden: {
    status: 403,
    codigo: 'sin_permiso',
    message: ({ permission }) => `Su usuario no tiene el permiso ${permission}`,
  },
  'guide-unknown': {
    status: 404,
    codigo: 'guia_no_encontrada',
    message: 'Ninguna guía tiene ese número',
  },
  'pickup-unknown': {
    status: 404,
    codigo: 'recoleccion_no_encontrada',
    message: 'Ninguna recolección tiene ese número',
  },
  'session-missing': {
    status: 401,
    codigo: 'sesion_terminada',
    message: 'Su sesión terminó: entre de nuevo',
  },
  'other-origin': { status: 403, codigo: 'otro_origen', message: 'La solicitud no viene de este tablero' },
} as const satisfies HttpErrors & Record<LoginCode, HttpError>;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof dashboardErrors> {}
}
