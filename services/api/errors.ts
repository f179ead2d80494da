import type { LoginCode } from '#shared/auth/login.ts';
import { MAX_EVENTS, MAX_EVENTS_OF_GUIDE } from '#shared/contracts/event.ts';
import { MAX_GUIDES, MAX_PACKAGES, SERVICE_TYPES } from '#shared/contracts/guide.ts';
import { MEDIA_TYPES } from '#shared/contracts/label-job.ts';
import { MAX_FILE_PAGES } from '#shared/contracts/label-kinds.ts';
import type { CodesOf } from '#shared/errors/domain-error.ts';
import { commonHttpErrors, type HttpError, retryAfter } from '#shared/http/http-errors.ts';
import { MAX_WEBHOOKS } from '#shared/stores/webhook-store.ts';
import { MAX_KEY_LENGTH } from './guides/creation-journal.ts';
import { POSTAL_CODE_RULE } from './requests/parameter-rules.ts';

/** A 401 must have a challenge (RFC 9110, 11.6.1). No scheme is registered for a login by headers, so this is our own. */
const LOGIN_CHALLENGE = 'Login headers="X-Username X-Password"';

/** JSON types, as a message names them. */
const EXPECTED_TYPES: Readonly<Record<string, string>> = {
  string: 'texto (string)',
  number: 'un numero (number)',
  integer: 'un numero entero (integer)',
  boolean: 'un booleano (boolean)',
  array: 'un arreglo (array)',
  object: 'un objeto (object)',
};
const GIVEN_TYPES: Readonly<Record<string, string>> = {
  string: 'un texto',
  number: 'un numero',
  boolean: 'un booleano',
  array: 'un arreglo',
  object: 'un objeto',
};

/** More than a user, an account or an address may ask for. `params.seconds` says when to come back. */
const quotaExceeded = {
  status: 429,
  codigo: 'cuota_excedida',
  headers: retryAfter,
  advice:
    'Espere lo que dice `Retry-After` y repita. `RateLimit` dice cuánto queda de cada límite antes de llegar a él.',
} as const;
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
const wrongType = {
  status: 400,
  codigo: 'campo_tipo',
  advice:
    'Corrija el tipo de JSON: el mensaje dice cuál se espera y cuál llegó. Un código postal es texto: `"06600"`.',
} as const;
const unknownOutcome = {
  status: 503,
  codigo: 'resultado_desconocido',
  advice:
    'Con `Idempotency-Key`, repita la misma solicitud. Sin ella, busque antes las guías: pueden existir. Eventos y cancelaciones se repiten tal cual.',
} as const;
const { codigo, advice } = commonHttpErrors['parameter-invalid'];
const wrongParameter = { status: 400, codigo, advice } as const;
/** Code and text of the answer are those of its first problem. */
const firstProblem = { status: 400, codigo: undefined, message: undefined, advice: undefined } as const;

/**
 * The API's errors, with their texts to the letter (docs/contract.md "Messages and statuses"), in the order of the
 * guide for integrators. Errors of all services stand here by name, for that order.
 */
const apiErrors = {
  'credentials-missing': {
    status: 400,
    codigo: 'login_headers_faltan',
    message: 'Se requieren los headers X-Username y X-Password',
    advice: 'Mande los dos headers, `X-Username` y `X-Password`. El cuerpo no cuenta.',
  },
  'credentials-wrong': {
    status: 401,
    codigo: 'credenciales_incorrectas',
    message: 'Usuario o contrasena incorrectos',
    headers: { 'WWW-Authenticate': LOGIN_CHALLENGE },
    advice: 'Revise usuario y contraseña, y no repita con los mismos: los intentos fallidos se cuentan.',
  },
  'password-one-time': {
    status: 403,
    codigo: 'contrasena_temporal',
    message: 'Su contrasena es temporal: cambiela con POST /api/auth/password y entre con la nueva',
    advice:
      'Elija la suya con `POST /api/auth/password`: la temporal va en `X-Password`, la nueva en `ContrasenaNueva`.',
  },
  'password-one-time-expired': {
    status: 403,
    codigo: 'contrasena_temporal_vencida',
    message: 'Su contrasena temporal vencio: pida otra a su transportista',
    advice: 'Pida otra a su transportista, y cámbiela antes de la fecha que le diga.',
  },
  'password-replaced': {
    status: 409,
    codigo: 'contrasena_reemplazada',
    message: 'Esa contrasena ya se cambio: use la nueva',
    advice:
      'Otro de sus programas la cambió antes. La contraseña solo se cambia con la actual; la de antes, si se conservó, sirve para entrar hasta que vence.',
  },
  'too-many-logins': {
    status: 429,
    codigo: 'demasiados_intentos',
    message: 'Demasiados intentos, intente mas tarde',
    headers: retryAfter,
    advice:
      'Espere lo que dice `Retry-After`. Guarde el token y úselo hasta que expire, en vez de entrar en cada solicitud.',
  },
  'token-expired': {
    status: 401,
    codigo: 'token_expirado',
    message: 'Token expirado',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    advice: 'Entre otra vez y repita la solicitud con el token nuevo.',
  },
  'access-denied': commonHttpErrors['access-denied'],
  forbidden: {
    status: 403,
    codigo: 'sin_permiso',
    message: 'No tiene permiso para realizar esta accion',
    advice: 'Pida a su transportista el permiso que la operación nombra.',
  },
  'too-many-requests': {
    ...quotaExceeded,
    message: 'Demasiadas solicitudes, intente mas tarde',
    page: { title: 'Demasiadas consultas', sentence: 'Espere un minuto y vuelva a intentar.' },
  },
  'too-many-guides-today': {
    ...quotaExceeded,
    message: 'Cuota diaria de guias excedida, intente mas tarde',
  },
  'too-many-pages': { ...quotaExceeded, message: 'Demasiadas etiquetas a la vez, intente mas tarde' },
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
  'events-missing': {
    status: 400,
    codigo: 'eventos_array_faltante',
    message: "El JSON no contiene el array 'Eventos'",
    advice: 'Mande `Eventos`, un array, también para un solo evento.',
  },
  'events-empty': {
    status: 400,
    codigo: 'eventos_array_vacio',
    message: "El array 'Eventos' esta vacio",
    advice: 'Mande al menos un evento.',
  },
  'too-many-events': {
    status: 400,
    codigo: 'eventos_array_largo',
    message: `Maximo ${MAX_EVENTS} eventos por solicitud`,
    advice: 'Divida la solicitud en varias.',
  },
  'event-conflict': {
    status: 409,
    codigo: 'evento_conflicto',
    message: 'Ya hay un evento de la guia con este Id y otro contenido',
    advice:
      'Dé otro `Id` al evento. Si el primero fue un error, anúlelo con `Anulacion` y mande el correcto con otro `Id`.',
  },
  'guide-events-full': {
    status: 409,
    codigo: 'eventos_excedidos',
    message: `La guia ya tiene ${MAX_EVENTS_OF_GUIDE} eventos`,
    advice: 'Revise el escáner: ninguna guía necesita tantos eventos.',
  },
  'too-many-file-pages': {
    status: 400,
    codigo: 'paginas_excedidas',
    message: ({ pages = MAX_FILE_PAGES + 1 }) =>
      `Maximo ${MAX_FILE_PAGES} paginas por solicitud; estas guias tienen ${pages}`,
    advice: 'Divida la solicitud en varias: el mensaje dice cuántas páginas serían.',
  },
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
    advice: 'Use uno de los valores del mensaje, tal cual.',
    example: 'TipoServicio',
  },
  'guides-invalid': firstProblem,
  'fields-invalid': firstProblem,
  'prices-missing': firstProblem,
  'quotes-invalid': firstProblem,
  'quotes-refused': { ...firstProblem, status: 409 },
  'field-required': {
    status: 400,
    codigo: 'campo_requerido',
    message: ({ campo }) => `El campo '${campo}' es requerido`,
    advice: 'Complete el campo: `campo` dice cuál e `indice` en qué guía.',
    example: 'Tipo',
  },
  'event-invalid': { ...wrongType, message: "Cada elemento de 'Eventos' debe ser un objeto" },
  'guide-invalid': { ...wrongType, message: ({ rule }) => `Cada elemento de 'Guia' ${rule}` },
  'field-type': {
    ...wrongType,
    message: ({ campo, expected = '', given = '' }) =>
      `El campo '${campo}' debe ser ${EXPECTED_TYPES[expected] ?? expected}, no ${GIVEN_TYPES[given] ?? given}`,
    example: 'Tipo',
  },
  'field-invalid': commonHttpErrors['field-invalid'],
  'field-too-long': {
    status: 400,
    codigo: 'campo_largo',
    message: ({ campo, limit }) => `El campo '${campo}' admite hasta ${limit} caracteres`,
    advice: 'Acorte el texto a los caracteres que dice el mensaje.',
  },
  'field-unknown': {
    status: 400,
    codigo: 'campo_desconocido',
    message: ({ campo, meant }) =>
      `Campo desconocido: '${campo}'${meant === undefined ? '' : `; ¿quiso decir '${meant}'?`}`,
    advice:
      'Corrija el nombre del campo o quítelo. Mientras integra, `Prefer: handling=lenient` omite los desconocidos y los nombra en `advertencias`.',
    example: 'Tipos',
  },
  /** A warning: nothing is refused for it. */
  'text-unprintable': {
    status: 200,
    codigo: 'caracteres_no_imprimibles',
    message: ({ campo, characters }) => `El campo '${campo}' se imprime con • en vez de: ${characters}`,
    advice:
      'Es una advertencia: la guía se creó. Escriba el texto en letras latinas, griegas o cirílicas, si debe leerse en la etiqueta.',
  },
  /** A warning. */
  'address-incomplete': {
    status: 200,
    codigo: 'domicilio_incompleto',
    message: ({ missing }) => `La entrega es a domicilio y falta: ${missing}`,
    advice:
      'Es una advertencia: nada se rechaza. Revise que su programa mande calle y número: sin ellos el repartidor no sabe a dónde ir. Si el domicilio no tiene número, mande `S/N`.',
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
  'colonia-unknown': {
    status: 200,
    codigo: 'colonia_desconocida',
    message: ({ campo, postalCode, meant, known }) =>
      `El campo '${campo}' no es una colonia del ${postalCode}${meant === undefined ? `, que tiene: ${known}` : `; ¿quiso decir '${meant}'?`}`,
    advice:
      'Es una advertencia: nada se rechaza. Revise la colonia y el código postal con su cliente; `GET /api/codigos-postales/{cp}` da todas las del código. El catálogo no las conoce todas.',
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
    message: 'DestinoCode no corresponde a sucursal valida',
    showsRule: true,
    advice: 'Elija una sucursal de `GET /api/sucursales/destinos`.',
  },
  'postal-code-uncovered': {
    status: 404,
    codigo: 'sin_cobertura',
    message: ({ postalCode }) => `No hay cobertura para el código postal: ${postalCode}`,
    showsRule: true,
    advice:
      'El transportista no entrega ahí. Consulte `GET /api/sucursales/cobertura/{cp}` antes de vender el envío.',
  },
  'postal-code-invalid': {
    ...wrongParameter,
    message: ({ campo }) => `El parametro '${campo}' ${POSTAL_CODE_RULE}`,
    example: 'cp',
  },
  'no-catalogue': {
    status: 404,
    codigo: 'sin_catalogo',
    message: 'El transportista no ofrece el catalogo de codigos postales',
    advice: 'Pida el domicilio sin el catálogo: nada de lo demás depende de él.',
  },
  'postal-code-unknown': {
    status: 404,
    codigo: 'codigo_postal_desconocido',
    message: ({ postalCode }) => `El codigo postal no esta en el catalogo: ${postalCode}`,
    advice:
      'Revise el código con su cliente. El catálogo puede ser más viejo que el código: si lleva ahí lo dice `GET /api/sucursales/cobertura/{cp}`.',
  },
  'no-tariff': {
    status: 400,
    codigo: 'sin_tarifa',
    message: ({ explanation = 'el transportista no tiene una tarifa en vigor' }) =>
      `Sin tarifa: ${explanation}`,
    advice:
      'El transportista no tiene precio para ese envío: el mensaje dice para qué zona, lista y servicio. Pruebe otro servicio, o pregúntele.',
    example: 'TipoServicio',
  },
  'parcel-too-large': {
    status: 400,
    codigo: 'medidas_excedidas',
    message: ({ explanation }) => `Medidas excedidas: ${explanation}`,
    advice: 'Divida el envío en paquetes más chicos. Cuenta también el peso volumétrico.',
    example: 'Producto.Peso',
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
  },
  'quote-withdrawn': {
    status: 409,
    codigo: 'cotizacion_retirada',
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
  },
  'origin-unassigned': {
    status: 400,
    codigo: 'origen_no_asignado',
    message: 'Usuario API no tiene sucursal de origen asignada',
    advice: 'Pida a su transportista que asigne una sucursal de origen a su usuario.',
  },
  'origin-inactive': {
    // The client can do nothing: an operator must correct the branches or the user.
    logLevel: 'warn',
    status: 400,
    codigo: 'origen_invalido',
    message: 'La sucursal de origen no existe o no esta activa',
    advice: 'Avise a su transportista: la sucursal de origen de su usuario dejó de servir.',
  },
  'idempotency-key-invalid': {
    status: 400,
    codigo: 'idempotencia_invalida',
    message: `Idempotency-Key debe tener de 1 a ${MAX_KEY_LENGTH} caracteres visibles`,
    advice: `Use de 1 a ${MAX_KEY_LENGTH} caracteres ASCII visibles, por ejemplo el número de su pedido.`,
  },
  'idempotency-key-reused': {
    status: 409,
    codigo: 'idempotencia_conflicto',
    message: 'Idempotency-Key ya usada con otro contenido',
    advice:
      'La clave ya es de otra solicitud. Si esta es nueva, dele otra clave; si es la misma, mande el mismo contenido.',
  },
  /** Repeating is safe: a registered event is answered as `repetido`. */
  'events-unknown': {
    ...unknownOutcome,
    message: 'No se sabe si todo se registro; repita la misma solicitud',
    headers: { 'Retry-After': '2' },
  },
  /** No `Retry-After`: after a change the password before may be wrong, and counts as a failed login. */
  'password-unknown': {
    ...unknownOutcome,
    message: 'No se sabe si la contrasena se cambio; entre con la nueva, o si no vale con la de antes',
    advice: 'Entre con la contraseña nueva. Si no vale, nada cambió: repita la misma solicitud.',
  },
  /** No `Retry-After`: without a key, a repeated request for all guides could make a manifest of later ones. */
  'manifest-unknown': {
    ...unknownOutcome,
    message: 'No se sabe si el manifiesto se creo; consulte sus manifiestos antes de repetir',
    advice:
      'Con `Idempotency-Key`, repita la misma solicitud. Sin ella, busque antes el manifiesto con `GET /api/manifiestos`: puede existir.',
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
  'guide-is-test': {
    status: 409,
    codigo: 'guia_de_prueba',
    message: 'La guia es de una cuenta de prueba: no se envia ni se escanea',
    advice:
      'Aparte el paquete: su etiqueta es de prueba. Los eventos de prueba se hacen con `POST /api/guias/{guia}/simular`.',
  },
  'test-accounts-only': {
    status: 403,
    codigo: 'solo_pruebas',
    message: 'Solo las cuentas de prueba simulan eventos',
    advice:
      'Pida a su transportista un usuario de prueba. Los eventos de guías reales los registra el transportista.',
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
  'manifest-refused': { ...firstProblem, status: 409 },
  'guide-in-manifest': {
    status: 409,
    codigo: 'guia_en_manifiesto',
    message: ({ manifest }) => `La guia ya esta en el manifiesto ${manifest}`,
    advice: 'Quítela de la lista: una guía está en un solo manifiesto, y su lista no cambia.',
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
    advice: 'Haga un manifiesto por sucursal de origen: `SEND_SUCU_ORIG` de la guía dice cuál es.',
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
  'webhook-not-found': {
    status: 404,
    codigo: 'webhook_no_encontrado',
    message: 'Webhook no encontrado',
    advice: 'Revise el Id con `GET /api/webhooks`. Solo se ven los de su cuenta.',
  },
  'nothing-to-skip': {
    status: 409,
    codigo: 'nada_que_saltar',
    message: 'El webhook no tiene un mensaje fallido que saltar',
    advice: 'Solo se salta un mensaje que ya falló: mire `Intentos` en `GET /api/webhooks/{id}`.',
  },
  'too-many-webhooks': {
    status: 409,
    codigo: 'webhooks_excedidos',
    message: `Maximo ${MAX_WEBHOOKS} webhooks por cuenta`,
    advice: 'Elimine uno que ya no use, con `DELETE /api/webhooks/{id}`.',
  },
  'label-failed': {
    status: 500,
    codigo: 'etiqueta_fallida',
    message: 'Error al generar la etiqueta',
    advice: 'No repita: esa etiqueta no se puede imprimir. Avise al transportista, con el `requestId`.',
  },
  /** The same request may succeed once the label is printed. */
  'label-late': {
    status: 500,
    codigo: 'etiqueta_tardia',
    message: 'Error al generar la etiqueta',
    headers: { 'Retry-After': '2' },
    advice: 'Repita tras `Retry-After`: la etiqueta puede estar lista ya.',
  },
  'parameter-unknown': commonHttpErrors['parameter-unknown'],
  'parameter-invalid': commonHttpErrors['parameter-invalid'],
  'packages-invalid': {
    ...wrongParameter,
    message: ({ campo, limit = MAX_PACKAGES }) => `${campo} debe ser un numero entero de 1 a ${limit}`,
    example: 'paquetes',
  },
  'cursor-beyond-end': {
    ...wrongParameter,
    message:
      "El parametro 'cursor' pasa del ultimo evento; siga desde un 'siguiente' anterior, o empiece sin cursor",
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
  overloaded: {
    logLevel: 'silent',
    status: 503,
    codigo: 'saturado',
    message: commonHttpErrors.unavailable.message,
    headers: retryAfter,
    advice: 'Repita tras `Retry-After`, con menos solicitudes a la vez.',
  },
  /** No label worker is alive or makes progress; logged once. */
  'no-printer': { ...commonHttpErrors.unavailable, logLevel: 'silent' },
  /** The client has left: the answer is not sent and not counted as a failure. */
  'client-gone': {
    logLevel: 'silent',
    status: 499,
    codigo: 'cliente_ausente',
    message: 'El cliente cerro la conexion',
    advice: undefined,
  },
} as const satisfies Record<string, HttpError & Pick<Required<HttpError>, 'advice'>> &
  Record<LoginCode, HttpError>;

export const httpErrors = { ...apiErrors, ...commonHttpErrors };
export type ApiErrorCode = keyof typeof httpErrors;

/** Errors that take their code from their first problem. */
type ByFirstProblem = {
  [Code in ApiErrorCode]: (typeof httpErrors)[Code]['codigo'] extends undefined ? Code : never;
}[ApiErrorCode];

const FIELD_PROBLEMS = [
  'field-required',
  'field-type',
  'field-invalid',
  'field-too-long',
  'field-unknown',
] as const satisfies ApiErrorCode[];

/** The problems that such an error may begin with, in the order of the document. */
const PROBLEMS: Readonly<Record<ByFirstProblem, readonly ApiErrorCode[]>> = {
  'fields-invalid': [...FIELD_PROBLEMS, 'event-invalid'],
  'guides-invalid': [
    ...FIELD_PROBLEMS,
    ...(['guide-invalid', 'destination-missing', 'destination-invalid', 'postal-code-uncovered'] as const),
  ],
  'prices-missing': ['no-tariff', 'parcel-too-large'],
  'quotes-invalid': ['quote-invalid', 'field-required'],
  'quotes-refused': ['quote-expired', 'quote-withdrawn', 'quote-different'],
  'manifest-refused': [
    ...(['guide-cancelled', 'guide-travelling', 'guide-of-other-branch'] as const),
    ...(['guide-repeated', 'guide-in-manifest'] as const),
  ],
};

/** Returns each `codigo` that an answer with this error may have. */
export function codigosOf(code: ApiErrorCode): string[] {
  const { codigo }: HttpError = httpErrors[code];
  return codigo === undefined ? [...new Set(PROBLEMS[code as ByFirstProblem].flatMap(codigosOf))] : [codigo];
}

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof apiErrors> {}
}
