import type { CodesOf } from '#shared/errors/domain-error.ts';
import { type ErrorTable, unknownOutcome } from '../http/errors.ts';
import { LINK_PRINTS_A_DAY } from './return.ts';

/** The errors of returns. */
export const returnErrors = {
  'return-exists': {
    status: 409,
    codigo: 'devolucion_existente',
    message: ({ guide }) => `La guia ya tiene la devolucion ${guide}`,
    advice: 'Use la que hay: el mensaje dice su número. Si no sirve, cancélela y cree otra.',
    exampleParams: { guide: '482913650724' },
  },
  'return-of-return': {
    status: 409,
    codigo: 'devolucion_de_devolucion',
    message: 'La guia ya es una devolucion',
    advice: 'Para mandar el paquete otra vez cree una guía nueva.',
  },
  'guide-not-delivered': {
    status: 409,
    codigo: 'guia_no_entregada',
    message: 'La guia no se ha entregado',
    advice:
      'Espere a que esté `Entregado`, o mande `"Anticipada": true` si la etiqueta va dentro de la caja. Un paquete `Devuelto` ya volvió.',
  },
  'guide-anonymised': {
    status: 409,
    codigo: 'guia_anonimizada',
    message: 'Los datos personales de la guia ya se borraron',
    advice: 'Cree una guía nueva con las direcciones: la original ya no las tiene.',
  },
  'return-without-origin': {
    status: 409,
    codigo: 'devolucion_sin_origen',
    message: 'Ninguna sucursal activa recibe paquetes donde termino la guia',
    advice: 'Cree una guía nueva desde la sucursal donde se entregará el paquete.',
  },
  'return-without-destination': {
    status: 400,
    codigo: 'devolucion_sin_destino',
    message:
      'El remitente no tiene domicilio con cobertura, ni su sucursal recibe guias; indique DestinoCode',
    advice: 'Elija la sucursal donde se recogerá el paquete. Su código va en `DestinoCode`.',
    example: 'DestinoCode',
  },
  'return-without-address': {
    status: 400,
    codigo: 'devolucion_sin_domicilio',
    message: 'El remitente no tiene un domicilio que esa sucursal cubra; con the service se recoge en ella',
    advice: 'Quite `TipoServicio`, o mande `the service`: el paquete se recoge en la sucursal.',
    example: 'DestinoCode',
  },
  'return-unknown': {
    ...unknownOutcome,
    message: 'No se sabe si la devolucion se creo; repita la misma solicitud',
  },
  'return-not-found': {
    status: 404,
    codigo: 'devolucion_no_encontrada',
    message: 'La guia no tiene una devolucion abierta',
    advice:
      'Créela antes con `POST /api/guias/{guia}/devolucion`. Una que se canceló o que ya se escaneó no tiene enlace.',
    page: {
      title: 'Este enlace ya no sirve',
      sentence: 'Pida otro a la tienda a la que devuelve el paquete.',
    },
  },
  'too-many-prints': {
    status: 429,
    codigo: 'cuota_excedida',
    message: `Maximo ${LINK_PRINTS_A_DAY} impresiones al dia por enlace`,
    headers: { 'Retry-After': '3600' },
    advice:
      'Espere lo que dice `Retry-After` y repita. `RateLimit` dice cuánto queda de cada límite antes de llegar a él.',
    page: {
      title: 'Ya se imprimió muchas veces hoy',
      sentence: 'Use el archivo que ya descargó, o vuelva mañana.',
    },
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof returnErrors> {}
}
