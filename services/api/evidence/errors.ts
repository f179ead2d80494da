import type { CodesOf } from '#shared/errors/domain-error.ts';
import { PROVEN_TYPES } from '#shared/evidence/evidence.ts';
import { type ErrorTable, limitReached } from '../http/errors.ts';
import { MAX_PIXELS } from './picture-head.ts';

/** Nothing is kept of a refused picture. */
const refused = { status: 400 } as const;

/** The errors of evidence. */
export const evidenceErrors = {
  'event-not-found': {
    status: 404,
    codigo: 'evento_no_encontrado',
    message: 'Evento no encontrado',
    advice: 'Registre antes el evento con `POST /api/eventos`, y mande la imagen con el mismo `Id`.',
  },
  'event-without-evidence': {
    status: 409,
    codigo: 'evento_sin_evidencia',
    message: `Solo llevan evidencia los eventos ${PROVEN_TYPES.join(', ')}`,
    advice: 'Mande la imagen con el `Id` de la entrega, del intento o de la devolución.',
  },
  'picture-conflict': {
    status: 409,
    codigo: 'evidencia_conflicto',
    message: 'El evento ya tiene otra imagen en este lugar',
    advice:
      'Una imagen guardada no cambia. Use otro lugar, `foto2` o `foto3`; si el evento fue un error, anúlelo y mande otro con otro `Id`.',
  },
  'picture-not-found': {
    status: 404,
    codigo: 'imagen_no_encontrada',
    message: 'Imagen no encontrada',
    advice:
      'Los lugares son `firma`, `foto1`, `foto2` y `foto3`. `GET /api/guias/{guia}/evidencia` dice cuáles hay; una con `Retirada` ya no se guarda.',
  },
  'not-delivered': {
    status: 409,
    codigo: 'guia_sin_entrega',
    message: 'La guia no tiene una entrega',
    advice: 'El comprobante existe desde el primer `Entregado` que no se anuló.',
  },
  'picture-too-large': {
    status: 413,
    codigo: 'imagen_muy_grande',
    message: 'La imagen excede el limite de 2 MiB',
    advice: 'Reduzca la imagen antes de mandarla: bastan 1600 pixeles por lado, unos 300 kB en JPEG.',
  },
  'picture-too-wide': {
    ...refused,
    codigo: 'imagen_con_muchos_pixeles',
    message: ({ given = '8000 x 6000' }) =>
      `La imagen es de ${given} pixeles, y el limite es de ${MAX_PIXELS / 1_000_000} millones`,
    advice: 'Reduzca la imagen antes de mandarla: bastan 1600 pixeles por lado.',
    exampleParams: { given: '8000 x 6000' },
  },
  'picture-type': {
    status: 415,
    codigo: 'imagen_de_otro_tipo',
    message: 'La imagen debe ser PNG, JPEG o WebP',
    advice: 'Mande los bytes de la imagen, sin base64 ni formulario, con su `Content-Type`.',
  },
  'picture-cut': {
    ...refused,
    codigo: 'imagen_cortada',
    message: 'La imagen no esta completa',
    advice: 'Mande la imagen otra vez, entera.',
  },
  'picture-unreadable': {
    ...refused,
    codigo: 'imagen_ilegible',
    message: 'La imagen no se puede leer',
    advice: 'Ábrala en un visor. Si ahí se ve, guárdela como JPEG y mande ese archivo.',
  },
  'too-many-pictures': {
    ...limitReached,
    message: 'La cuenta ya guardo sus imagenes de 24 horas',
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof evidenceErrors> {}
}
