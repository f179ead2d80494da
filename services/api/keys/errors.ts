import type { CodesOf } from '#shared/errors/domain-error.ts';
import { MAX_KEYS } from '#shared/keys/key-model.ts';
import type { ErrorTable } from '../http/errors.ts';

/** The errors of keys (docs/contract.md "Keys"). */
export const keyErrors = {
  'key-not-found': {
    status: 404,
    codigo: 'llave_no_encontrada',
    message: 'Llave no encontrada',
    advice: 'Revise el Id con `GET /api/llaves`. Solo se ven las de su usuario.',
  },
  'too-many-keys': {
    status: 409,
    codigo: 'llaves_excedidas',
    message: `Maximo ${MAX_KEYS} llaves por usuario`,
    advice: 'Termine una que ya no use, con `DELETE /api/llaves/{id}`: `UltimoUso` dice cuál.',
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof keyErrors> {}
}
