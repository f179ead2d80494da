import type { CodesOf } from '#shared/errors/domain-error.ts';
import type { ErrorTable } from '../http/errors.ts';

/** The errors of notices. */
export const noticeErrors = {
  'notices-unavailable': {
    status: 409,
    codigo: 'avisos_no_disponibles',
    message: 'Este servicio no manda avisos: su paqueteria no ha dado de alta un servidor de correo',
    advice:
      'Pida a su paquetería que los ofrezca. `Disponible` de `GET /api/avisos` dice cuándo ya se puede.',
  },
  'refusal-not-found': {
    status: 404,
    codigo: 'enlace_no_valido',
    message: 'El enlace no es valido',
    advice: 'Ninguna operación lo responde, solo la página del correo con la que alguien rehúsa los avisos.',
    page: {
      title: 'Este enlace no sirve',
      sentence: 'Ábralo desde el correo, o cópielo completo.',
    },
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof noticeErrors> {}
}
