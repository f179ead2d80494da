/** Introduces the OpenAPI document. */
export const INTRODUCTION = `Crea guías de envío y genera sus etiquetas en PDF. [La guía para integradores](/api/docs) lo explica paso a paso, y [una página](/api/docs/probar) lo prueba sin programar.

Las operaciones llevan \`Authorization: Bearer\` y una [llave](/api/docs/llaves), o el token de acceso que da \`POST /api/auth/login\` con los headers \`X-Username\` y \`X-Password\`.

Crear guías, cancelar una, hacer un manifiesto, registrar eventos, administrar webhooks y llaves, cambiar la contraseña y cerrar la sesión cambian algo; las demás operaciones solo leen. Todas se pueden repetir, salvo crear guías y manifiestos, que dicen cuándo, registrar un webhook, crear una llave, simular, activar un webhook con \`saltar\` y cambiar la contraseña.

Toda respuesta lleva \`X-Request-Id\`: cítelo al pedir ayuda.`;
