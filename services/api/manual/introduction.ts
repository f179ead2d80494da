import { changesOf, type Room } from '../http/room.ts';

/** Introduces the OpenAPI document. */
export function introduction(rooms: readonly Room[]): string {
  const changing = new Intl.ListFormat('es').format(changesOf(rooms).flatMap(({ what }) => what));
  return `Crea guías de envío y genera sus etiquetas en PDF. [La guía para integradores](/api/docs) lo explica paso a paso, y [una página](/api/docs/probar) lo prueba sin programar.

Las operaciones llevan \`Authorization: Bearer\` y una [llave](/api/docs/llaves), o el token de acceso que da \`POST /api/auth/login\` con los headers \`X-Username\` y \`X-Password\`.

${changing[0]?.toUpperCase()}${changing.slice(1)} cambian algo; las demás operaciones solo leen. Todas se pueden repetir, salvo las que nombra [Reintentos](/api/docs/reintentos).

Toda respuesta lleva \`X-Request-Id\`: cítelo al pedir ayuda.`;
}
