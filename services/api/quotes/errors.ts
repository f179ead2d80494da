import type { CodesOf } from '#shared/errors/domain-error.ts';
import { type ErrorTable, firstProblem } from '../http/errors.ts';

/** The errors of quotes. */
export const quoteErrors = {
  'prices-missing': { ...firstProblem, problems: ['no-tariff', 'parcel-too-large'] },
  'quotes-invalid': { ...firstProblem, problems: ['quote-missing', 'quote-invalid', 'field-required'] },
  'quotes-refused': {
    ...firstProblem,
    status: 409,
    problems: ['quote-expired', 'quote-withdrawn', 'quote-different'],
  },
  'no-tariff': {
    status: 400,
    codigo: 'sin_tarifa',
    ownData: 'tariff',
    message: ({ explanation = 'el transportista no tiene una tarifa en vigor' }) =>
      `Sin tarifa: ${explanation}`,
    advice:
      'El transportista no tiene precio para ese envío: el mensaje dice para qué zona, lista y servicio. Pruebe otro servicio, o pregúntele.',
    example: 'TipoServicio',
    exampleParams: { explanation: 'no hay precio de Domicilio en la zona 3, lista publica' },
  },
  'parcel-too-large': {
    status: 400,
    codigo: 'medidas_excedidas',
    ownData: 'tariff',
    message: ({ explanation }) => `Medidas excedidas: ${explanation}`,
    advice: 'Divida el envío en paquetes más chicos. Cuenta también el peso volumétrico.',
    example: 'Producto.Peso',
    exampleParams: { explanation: 'no hay precio de Domicilio en la zona 3, lista publica' },
  },
  'quote-missing': {
    status: 400,
    codigo: 'cotizacion_requerida',
    message: 'Las guias de esta cuenta requieren cotizacion',
    advice:
      'Cotice la guía y mande el texto `Cotizacion` de la opción que elija. Su transportista lo fijó así para su cuenta.',
    example: 'Cotizacion',
  },
  /** A warning. */
  'price-missing': {
    status: 200,
    codigo: 'sin_precio',
    message: ({ explanation }) => `La guía no tiene precio: ${explanation}`,
    advice:
      'Es una advertencia: la guía se crea sin precio, y su transportista la cobra aparte. Su `SEND_TOTAL` es 0. Dé el peso y las tres medidas, sin rebasar los máximos de la tarifa. Si ya lo hizo, pregunte el precio a su transportista.',
  },
  'quote-invalid': {
    status: 400,
    codigo: 'cotizacion_invalida',
    message: 'La cotizacion no es valida: esta alterada, o es de otra cuenta',
    advice: 'Mande el texto de `Cotizacion` tal como lo dio `cotizar` a su cuenta, o cotice otra vez.',
    example: 'Cotizacion',
  },
  'quote-expired': {
    status: 409,
    codigo: 'cotizacion_vencida',
    message: ({ expired }) => `La cotizacion vencio: ${expired}`,
    advice: 'Cotice otra vez: el precio puede ser otro.',
    example: 'Cotizacion',
    exampleParams: { expired: '2026-12-01T23:59:59-06:00' },
  },
  'quote-withdrawn': {
    status: 409,
    codigo: 'cotizacion_retirada',
    ownData: 'tariff',
    message: 'El transportista retiro la tarifa de esta cotizacion',
    advice: 'La tarifa tenía un error y se retiró. Cotice otra vez.',
    example: 'Cotizacion',
  },
  'quote-different': {
    status: 409,
    codigo: 'cotizacion_distinta',
    message: ({ campo, is, quoted }) => `El campo '${campo}' es ${is} y se cotizo ${quoted}`,
    advice:
      'La guía no cabe en su cotización: `details` dice de cada campo qué es y qué se cotizó. Cotice otra vez con esos valores, o corríjalos.',
    example: 'Producto.Peso',
    exampleParams: { is: '3 kg', quoted: '2.5 kg' },
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof quoteErrors> {}
}
