import type { CodesOf } from '#shared/errors/domain-error.ts';
import { type ErrorTable, firstProblem, unknownOutcome } from '../http/errors.ts';

/** The errors of manifests. */
export const manifestErrors = {
  /** No `Retry-After`: without a key, a repeated request for all guides could make a manifest of later ones. */
  'manifest-unknown': {
    ...unknownOutcome,
    message: 'No se sabe si el manifiesto se creo; consulte sus manifiestos antes de repetir',
    advice:
      'Con `Idempotency-Key`, repita la misma solicitud. Sin ella, busque antes el manifiesto con `GET /api/manifiestos`: puede existir.',
  },
  'manifest-refused': {
    ...firstProblem,
    status: 409,
    problems: [
      'guide-cancelled',
      'guide-travelling',
      'guide-of-other-branch',
      'guide-repeated',
      'guide-in-manifest',
    ],
  },
  'guide-in-manifest': {
    status: 409,
    codigo: 'guia_en_manifiesto',
    message: ({ manifest }) => `La guia ya esta en el manifiesto ${manifest}`,
    advice: 'Quítela de la lista: una guía está en un solo manifiesto, y su lista no cambia.',
    exampleParams: { manifest: 'M48291365074' },
  },
  'guide-repeated': {
    status: 409,
    codigo: 'guia_repetida',
    message: 'La guia esta dos veces en la lista',
    advice: 'Mande cada guía una vez.',
  },
  'guide-of-other-branch': {
    status: 409,
    codigo: 'guia_de_otra_sucursal',
    message: ({ branch, other }) =>
      `La guia sale de la sucursal ${branch}, y el manifiesto es de la sucursal ${other}`,
    advice: 'Haga un manifiesto por sucursal de origen. `SEND_SUCU_ORIG` de la guía dice cuál es.',
    exampleParams: { branch: 'GDL01', other: 'MEX01' },
  },
  'guide-travelling': {
    status: 409,
    codigo: 'guia_en_camino',
    message: 'La guia ya va en camino y no entra en un manifiesto',
    advice: 'Quítela de la lista: el transportista ya la tiene.',
  },
  'nothing-to-hand-over': {
    status: 409,
    codigo: 'sin_guias_por_entregar',
    message: ({ branch }) => `La sucursal ${branch} no tiene guias Documentado sin manifiesto`,
    advice:
      'Sin `Guias` entran las que se crearon en los últimos siete días. Una guía más vieja se manda por su número.',
    exampleParams: { branch: 'GDL01' },
  },
  'manifest-not-found': {
    status: 404,
    codigo: 'manifiesto_no_encontrado',
    message: 'Manifiesto no encontrado',
    advice: 'Revise el número: es M y once dígitos. Solo se ven los manifiestos de su cuenta.',
  },
  'guide-not-in-manifest': {
    status: 400,
    codigo: 'guia_fuera_del_manifiesto',
    message: 'La guia no esta en el manifiesto',
    advice: '`Faltan` nombra guías del manifiesto que no llegaron. Una guía de más se registra en `Eventos`.',
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof manifestErrors> {}
}
