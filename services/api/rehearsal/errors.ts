import type { CodesOf } from '#shared/errors/domain-error.ts';
import type { ErrorTable } from '../http/errors.ts';

/** The errors of simulated events. */
export const rehearsalErrors = {
  'test-accounts-only': {
    status: 403,
    codigo: 'solo_pruebas',
    message: 'Solo las cuentas de prueba simulan eventos',
    advice:
      'Pida a su transportista un usuario de prueba. Los eventos de guías reales los registra el transportista.',
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof rehearsalErrors> {}
}
