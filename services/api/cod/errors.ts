import type { CodesOf } from '#shared/errors/domain-error.ts';
import { type ErrorTable, firstProblem } from '../http/errors.ts';

/** The errors of cash on delivery. */
export const codErrors = {
  'collections-refused': {
    ...firstProblem,
    problems: ['branch-collects-nothing', 'amount-too-high'],
    exampleProblem: {
      indice: 0,
      campo: 'Cobro.Monto',
      code: 'amount-too-high',
      params: { branch: 'MTY01', limit: '5000.00' },
    },
  },
  'branch-collects-nothing': {
    status: 400,
    codigo: 'sucursal_no_cobra',
    ownData: 'branches',
    message: ({ branch }) => `La sucursal ${branch} no cobra al entregar`,
    advice:
      'Pregunte a su transportista cuánto cobra esa sucursal, o quite el cobro. `CobraHasta` de la sucursal lo dice.',
    example: 'Cobro',
    exampleParams: { branch: 'GDL01' },
  },
  'amount-too-high': {
    status: 400,
    codigo: 'cobro_excedido',
    ownData: 'branches',
    message: ({ branch, limit }) => `La sucursal ${branch} cobra hasta ${limit} MXN`,
    advice: 'Baje el monto del cobro, o divida el envío en varias guías: el límite es de cada guía.',
    example: 'Cobro.Monto',
    exampleParams: { branch: 'MTY01', limit: '5000.00' },
  },
  'remittance-not-found': {
    status: 404,
    codigo: 'liquidacion_no_encontrada',
    message: 'Liquidacion no encontrada',
    advice: 'Revise el número: es L y once dígitos. Solo se ven las liquidaciones de su cuenta.',
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof codErrors> {}
}
