import type { HttpErrors } from '#shared/errors.ts';

/** The messages to the letter, each with its status (docs/contract.md "Messages and statuses"). */
export const apiErrors = {
  'credentials-missing': { status: 400, message: 'Se requieren los headers X-Username y X-Password' },
  'credentials-wrong': { status: 401, message: 'Usuario o contrasena incorrectos' },
  'too-many-logins': {
    status: 429,
    message: 'Demasiados intentos, intente mas tarde',
    headers: ({ seconds }) => ({ 'Retry-After': String(seconds) }),
  },
  'too-many-requests': {
    status: 429,
    message: 'Demasiadas solicitudes, intente mas tarde',
    headers: ({ seconds }) => ({ 'Retry-After': String(seconds) }),
  },
  'token-expired': {
    status: 401,
    message: 'Token expirado',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  },
  forbidden: { status: 403, message: 'No tiene permiso para realizar esta accion' },
  'guia-array-missing': { status: 400, message: "El JSON no contiene el array 'Guia'" },
  'guia-array-empty': { status: 400, message: "El array 'Guia' esta vacio" },
  'too-many-guides': { status: 400, message: 'Maximo 500 guias por solicitud' },
  'service-type-missing': { status: 400, message: "El campo 'TipoServicio' es requerido" },
  'service-type-unknown': { status: 400, message: 'TipoServicio solo acepta: Domicilio, the service' },
  'guides-invalid': { status: 400, message: ({ first }) => String(first) },
  'origin-unassigned': { status: 400, message: 'Usuario API no tiene sucursal de origen asignada' },
  'origin-inactive': { status: 400, message: 'La sucursal de origen no existe o no esta activa' },
  'destination-invalid': { status: 404, message: 'DestinoCode no corresponde a sucursal valida' },
  'postal-code-uncovered': {
    status: 404,
    message: ({ postalCode }) => `No hay cobertura para el código postal: ${postalCode}`,
  },
  'idempotency-key-invalid': {
    status: 400,
    message: 'Idempotency-Key debe tener de 1 a 255 caracteres visibles',
  },
  'idempotency-key-reused': { status: 409, message: 'Idempotency-Key ya usada con otro contenido' },
  'guide-not-found': { status: 404, message: 'Guia no encontrada' },
  'packages-invalid': { status: 400, message: 'paquetes debe ser un numero entero de 1 a 99' },
  overloaded: {
    noFault: true,
    status: 503,
    message: 'Servicio no disponible, intente de nuevo',
    headers: ({ seconds }) => ({ 'Retry-After': String(seconds) }),
  },
  'label-failed': { status: 500, message: 'Error al generar la etiqueta' },
} as const satisfies HttpErrors;
