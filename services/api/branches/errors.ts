import type { CodesOf } from '#shared/errors/domain-error.ts';
import { type ErrorTable, wrongParameter } from '../http/errors.ts';
import { POSTAL_CODE_RULE } from '../http/parameter-rules.ts';

/** The errors of branches, coverage and postal codes. */
export const branchErrors = {
  /** A warning. */
  'colonia-unknown': {
    status: 200,
    codigo: 'colonia_desconocida',
    message: ({ campo, postalCode, meant, known }) =>
      `El campo '${campo}' no es una colonia del ${postalCode}${meant === undefined ? `, que tiene: ${known}` : `; ¿quiso decir '${meant}'?`}`,
    advice:
      'Es una advertencia: nada se rechaza. Revise la colonia y el código postal con su cliente. `GET /api/codigos-postales/{cp}` da todas las del código. El catálogo no las conoce todas.',
  },
  'destination-missing': {
    status: 400,
    codigo: 'destino_requerido',
    message: 'Se requiere DestinoCode o CodigoPostal',
    advice: 'Dé `Destinatario.CodigoPostal`, o `DestinoCode` de una sucursal.',
  },
  'destination-invalid': {
    status: 404,
    codigo: 'destino_invalido',
    ownData: 'branches',
    message: 'DestinoCode no corresponde a sucursal valida',
    showsRule: true,
    advice: 'Elija otra sucursal. `GET /api/sucursales/destinos` da las que hay.',
  },
  'postal-code-uncovered': {
    status: 404,
    codigo: 'sin_cobertura',
    ownData: 'coverage',
    message: ({ postalCode }) => `No hay cobertura para el código postal: ${postalCode}`,
    showsRule: true,
    advice:
      'El transportista no entrega ahí. Consulte `GET /api/sucursales/cobertura/{cp}` antes de vender el envío.',
    exampleParams: { postalCode: '99999' },
  },
  'postal-code-invalid': {
    ...wrongParameter,
    message: ({ campo }) => `El parametro '${campo}' ${POSTAL_CODE_RULE}`,
    example: 'cp',
  },
  /** Our data are not wrong: a catalogue that was never loaded, or was withdrawn, is what the carrier wants. */
  'no-catalogue': {
    status: 404,
    codigo: 'sin_catalogo',
    message: 'El transportista no ofrece el catalogo de codigos postales',
    advice: 'Pida el domicilio sin el catálogo: nada de lo demás depende de él.',
  },
  'postal-code-unknown': {
    status: 404,
    codigo: 'codigo_postal_desconocido',
    ownData: 'postal-codes',
    message: ({ postalCode }) => `El codigo postal no esta en el catalogo: ${postalCode}`,
    advice:
      'Revise el código con su cliente. El catálogo puede ser más viejo que el código: si lleva ahí lo dice `GET /api/sucursales/cobertura/{cp}`.',
    exampleParams: { postalCode: '99999' },
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof branchErrors> {}
}
