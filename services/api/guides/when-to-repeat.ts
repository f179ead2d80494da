/** What holds after each answer to a creation, and when to send it again. docs/contract.md "Guides" says which guides exist then. */
export const WHEN_TO_REPEAT_HEADS = [
  'Respuesta',
  'Las guías de esta solicitud',
  'Sin `Idempotency-Key`',
  'Con ella',
];
export const WHEN_TO_REPEAT = [
  ['200', 'Existen todas', 'No repita: crearía otras', 'La misma respuesta'],
  [
    '400, 401, 403, 405, 409, 413, 415, 431',
    'No existe ninguna',
    'Corrija la solicitud',
    'Corrija la solicitud; tras 409 use otra clave',
  ],
  [
    '408, 429, 503 `Servicio no disponible, intente de nuevo`',
    'No existe ninguna',
    'Repita tras `Retry-After`',
    'Repita tras `Retry-After`',
  ],
  ['500', 'No existe ninguna', 'Puede repetir', 'Repita'],
  [
    '503 `resultado_desconocido`, o conexión cortada sin respuesta',
    'Existen todas en un minuto, o ninguna',
    'Busque sus guías antes de repetir',
    'Repita',
  ],
];

/** Wording for guides if the request is not the first with its key. */
export const WHEN_REPEATED =
  '«Ninguna» se dice de la solicitud que obtuvo la respuesta: si repetía otra con su clave, las guías de aquella pueden existir.';
