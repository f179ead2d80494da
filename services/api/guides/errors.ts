import type { CodesOf } from '#shared/errors/domain-error.ts';
import { MAX_GUIDES, SERVICE_TYPES } from '#shared/guides/guide.ts';
import { type ErrorTable, FIELD_PROBLEMS, firstProblem, unknownOutcome, wrongType } from '../http/errors.ts';

const arrayMissing = {
  status: 400,
  codigo: 'guia_array_faltante',
  advice: 'Mande el array que el mensaje nombra, también para una sola guía.',
} as const;
const arrayEmpty = {
  status: 400,
  codigo: 'guia_array_vacio',
  advice: 'Mande al menos un elemento.',
} as const;

/** The errors of guides, and warnings. */
export const guideErrors = {
  'guia-array-missing': {
    ...arrayMissing,
    message: "El JSON no contiene el array 'Guia'",
    example: 'Guia',
  },
  'guia-array-empty': { ...arrayEmpty, message: "El array 'Guia' esta vacio", example: 'Guia' },
  'too-many-guides': {
    status: 400,
    codigo: 'guia_array_largo',
    message: `Maximo ${MAX_GUIDES} guias por solicitud`,
    advice: 'Divida la solicitud en varias.',
    example: 'Guia',
  },
  'numbers-missing': { ...arrayMissing, message: "El JSON no contiene el array 'Guias'" },
  'numbers-empty': { ...arrayEmpty, message: "El array 'Guias' esta vacio" },
  'service-type-missing': {
    status: 400,
    codigo: 'tipo_servicio_requerido',
    message: "El campo 'TipoServicio' es requerido",
    advice: 'Agregue `TipoServicio` junto a `Guia`.',
    example: 'TipoServicio',
  },
  'service-type-unknown': {
    status: 400,
    codigo: 'tipo_servicio_invalido',
    message: `TipoServicio solo acepta: ${SERVICE_TYPES.join(', ')}`,
    advice: 'Use uno de los valores que da `message`, tal cual.',
    example: 'TipoServicio',
  },
  'guides-invalid': {
    ...firstProblem,
    problems: [
      ...FIELD_PROBLEMS,
      'guide-invalid',
      'destination-missing',
      'destination-invalid',
      'postal-code-uncovered',
    ],
    exampleProblem: {
      indice: 0,
      campo: 'Destinatario.CodigoPostal',
      code: 'postal-code-uncovered',
      params: { postalCode: '99999' },
    },
  },
  'guide-invalid': { ...wrongType, message: ({ rule }) => `Cada elemento de 'Guia' ${rule}` },
  /** A warning: nothing is refused for it. */
  'text-unprintable': {
    status: 200,
    codigo: 'caracteres_no_imprimibles',
    message: ({ campo, characters }) => `El campo '${campo}' se imprime con • en vez de: ${characters}`,
    advice:
      'Es una advertencia: nada se rechaza. Escriba el texto en letras latinas, griegas o cirílicas, si debe leerse en la etiqueta.',
  },
  /** A warning. */
  'address-incomplete': {
    status: 200,
    codigo: 'domicilio_incompleto',
    message: ({ missing }) => `La entrega es a domicilio y falta: ${missing}`,
    advice:
      'Es una advertencia: nada se rechaza. Sin calle y número el repartidor no sabe a dónde ir. Si el domicilio no tiene número, escriba S/N.',
  },
  /** A warning. */
  'state-different': {
    status: 200,
    codigo: 'cp_y_estado_distintos',
    message: ({ postalCode, state, sent }) =>
      `El código postal ${postalCode} es de ${state} y el estado dice ${sent}`,
    advice:
      'Es una advertencia: nada se rechaza. Los dos primeros dígitos de un código postal dicen su estado: corrija el que esté mal. El destino lo decide el código postal.',
  },
  /** A warning. */
  'place-different': {
    status: 200,
    codigo: 'cp_y_destino_distintos',
    message: ({ branch, postalCode, priced }) =>
      `El envío va a la sucursal ${branch}, que no cubre el código postal ${postalCode}: su precio es el de ${priced}, el código postal de la sucursal`,
    advice:
      'Es una advertencia: nada se rechaza. `DestinoCode` decide a qué sucursal va el envío. Corrija el que esté mal, o quite uno: sin `DestinoCode` va a la sucursal que cubre el código postal.',
  },
  'origin-unassigned': {
    status: 400,
    codigo: 'origen_no_asignado',
    ownData: 'users',
    message: 'Usuario API no tiene sucursal de origen asignada',
    advice: 'Pida a su transportista que asigne una sucursal de origen a su usuario.',
  },
  'origin-inactive': {
    // The client can do nothing: an operator must correct the branches or the user.
    logLevel: 'warn',
    status: 400,
    codigo: 'origen_invalido',
    ownData: 'branches',
    message: 'La sucursal de origen no existe o no esta activa',
    advice: 'Avise a su transportista: la sucursal de origen de su usuario dejó de servir.',
  },
  /** No `Retry-After`: a repeated request without a key may create its guides twice. */
  'result-unknown': {
    ...unknownOutcome,
    message: 'No se sabe si las guias se crearon; consulte sus guias antes de repetir',
  },
  'guide-not-found': {
    status: 404,
    codigo: 'guia_no_encontrada',
    message: 'Guia no encontrada',
    showsRule: true,
    advice: 'Revise el número. Solo se ven las guías de su cuenta.',
    page: {
      title: 'No encontramos esa guía',
      sentence: 'Revise el número: son doce dígitos, los que están junto al código de barras.',
    },
  },
  'guide-cancelled': {
    status: 409,
    codigo: 'guia_cancelada',
    message: 'La guia esta cancelada',
    advice: 'No la envíe: está cancelada y no se imprime. Cree otra guía.',
  },
  'guide-on-its-way': {
    status: 409,
    codigo: 'guia_en_camino',
    message: 'La guia ya tiene eventos y no se puede cancelar',
    advice: 'No se cancela: el paquete ya está con el transportista. Hable con él.',
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof guideErrors> {}
}
