import type { CodesOf } from '#shared/errors/domain-error.ts';
import { MAX_PACKAGES } from '#shared/guides/guide.ts';
import { commonHttpErrors } from '#shared/http/http-errors.ts';
import { MAX_FILE_PAGES } from '#shared/labels/label-kinds.ts';
import { MEDIA_TYPES } from '#shared/labels/label-payload.ts';
import { type ErrorTable, limitReached, wrongParameter } from '../http/errors.ts';

/** The errors of labels. */
export const labelErrors = {
  'too-many-pages': { ...limitReached, message: 'Demasiadas etiquetas a la vez, intente mas tarde' },
  'too-many-file-pages': {
    status: 400,
    codigo: 'paginas_excedidas',
    message: ({ pages = MAX_FILE_PAGES + 1 }) =>
      `Maximo ${MAX_FILE_PAGES} paginas por solicitud; estas guias tienen ${pages}`,
    advice: 'Divida la solicitud en varias: el mensaje dice cuántas páginas serían.',
  },
  'label-failed': {
    status: 500,
    codigo: 'etiqueta_fallida',
    message: 'Error al generar la etiqueta',
    advice:
      'Repita una vez, tras unos segundos. Si falla otra vez, avise al transportista. Dele el `requestId`.',
  },
  /** The same request may succeed once the label is printed. */
  'label-late': {
    status: 500,
    codigo: 'etiqueta_tardia',
    message: 'Error al generar la etiqueta',
    headers: { 'Retry-After': '2' },
    advice: 'Repita tras `Retry-After`: la etiqueta puede estar lista ya.',
  },
  'packages-invalid': {
    ...wrongParameter,
    message: ({ campo, limit = MAX_PACKAGES }) => `${campo} debe ser un numero entero de 1 a ${limit}`,
    example: 'paquetes',
  },
  'one-page-only': {
    ...wrongParameter,
    message: ({ limit = MAX_PACKAGES }) => `Un PNG tiene una sola pagina; indique paquete, de 1 a ${limit}`,
    example: 'paquete',
  },
  'one-page-file': {
    ...wrongParameter,
    message: ({ pages = 2 }) =>
      `Un PNG tiene una sola pagina y estas etiquetas tienen ${pages}; pida formato=pdf o formato=zpl`,
    example: 'formato',
  },
  'format-not-acceptable': {
    status: 406,
    codigo: 'formato_no_aceptable',
    message: `Formatos disponibles: ${Object.values(MEDIA_TYPES).join(', ')}`,
    headers: { Vary: 'Accept' },
    advice:
      'Pida un formato del mensaje en `Accept`, o con `formato`: `pdf`, `png` o `zpl`. Sin `Accept`, es PDF.',
  },
  /** No label worker is alive or makes progress; logged once. */
  'no-printer': { ...commonHttpErrors.unavailable, logLevel: 'silent' },
  /** A label worker of a release before would refuse the label's marks; logged once. */
  'no-marks': { ...commonHttpErrors.unavailable, logLevel: 'silent' },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof labelErrors> {}
}
