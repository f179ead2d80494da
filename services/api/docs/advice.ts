import type { httpErrors } from '../errors.ts';

/** Whoever closed the connection gets no answer, and needs no advice. */
type Answered = Exclude<keyof typeof httpErrors, 'client-gone'>;
type Codigo = Extract<(typeof httpErrors)[Answered]['codigo'], string>;

/** What a client does about each code. The compiler demands one for every code of the table of errors. */
export const ADVICE: Readonly<Record<Codigo, string>> = {
  login_headers_faltan: 'Mande los dos headers, `X-Username` y `X-Password`. El cuerpo no cuenta.',
  credenciales_incorrectas:
    'Revise usuario y contraseña, y no repita con los mismos: los intentos fallidos se cuentan.',
  demasiados_intentos:
    'Espere lo que dice `Retry-After`. Guarde el token y úselo hasta que expire, en vez de entrar en cada solicitud.',
  token_expirado: 'Entre otra vez y repita la solicitud con el token nuevo.',
  acceso_denegado:
    'Mande `Authorization: Bearer <token>` con un token vigente. Si ya lo hace, entre otra vez; si aun así falla, el usuario está deshabilitado.',
  sin_permiso: 'Pida a su transportista el permiso que la operación nombra.',
  cuota_excedida:
    'Espere lo que dice `Retry-After` y repita. `RateLimit` dice cuánto queda de cada límite antes de llegar a él.',
  guia_array_faltante: 'Mande el array que el mensaje nombra, también para una sola guía.',
  guia_array_vacio: 'Mande al menos un elemento.',
  guia_array_largo: 'Divida la solicitud en varias.',
  eventos_array_faltante: 'Mande `Eventos`, un array, también para un solo evento.',
  eventos_array_vacio: 'Mande al menos un evento.',
  eventos_array_largo: 'Divida la solicitud en varias.',
  evento_conflicto:
    'Dé otro `Id` al evento. Si el primero fue un error, anúlelo con `Anulacion` y mande el correcto con otro `Id`.',
  eventos_excedidos: 'Revise el escáner: ninguna guía necesita tantos eventos.',
  paginas_excedidas: 'Divida la solicitud en varias: el mensaje dice cuántas páginas serían.',
  tipo_servicio_requerido: 'Agregue `TipoServicio` junto a `Guia`.',
  tipo_servicio_invalido: 'Use uno de los valores del mensaje, tal cual.',
  campo_requerido: 'Complete el campo: `campo` dice cuál e `indice` en qué guía.',
  campo_tipo:
    'Corrija el tipo de JSON: el mensaje dice cuál se espera y cuál llegó. Un código postal es texto: `"06600"`.',
  campo_formato: 'Corrija el valor: el mensaje dice la regla del campo.',
  campo_largo: 'Acorte el texto a los caracteres que dice el mensaje.',
  campo_desconocido:
    'Corrija el nombre del campo o quítelo. Mientras integra, `Prefer: handling=lenient` omite los desconocidos y los nombra en `advertencias`.',
  caracteres_no_imprimibles:
    'Es una advertencia: la guía se creó. Escriba el texto en letras latinas, griegas o cirílicas, si debe leerse en la etiqueta.',
  destino_requerido: 'Dé `Destinatario.CodigoPostal`, o `DestinoCode` de una sucursal.',
  destino_invalido: 'Elija una sucursal de `GET /api/sucursales/destinos`.',
  sin_cobertura:
    'El transportista no entrega ahí. Consulte `GET /api/sucursales/cobertura/{cp}` antes de vender el envío.',
  origen_no_asignado: 'Pida a su transportista que asigne una sucursal de origen a su usuario.',
  origen_invalido: 'Avise a su transportista: la sucursal de origen de su usuario dejó de servir.',
  idempotencia_invalida: 'Use de 1 a 255 caracteres ASCII visibles, por ejemplo el número de su pedido.',
  idempotencia_conflicto:
    'La clave ya es de otra solicitud. Si esta es nueva, dele otra clave; si es la misma, mande el mismo contenido.',
  resultado_desconocido:
    'Con `Idempotency-Key`, repita la misma solicitud. Sin ella, busque antes las guías: pueden existir. Eventos y cancelaciones se repiten tal cual.',
  guia_no_encontrada: 'Revise el número. Solo se ven las guías de su cuenta.',
  guia_cancelada: 'No la envíe: está cancelada y no se imprime. Cree otra guía.',
  guia_en_camino: 'No se cancela: el paquete ya está con el transportista. Hable con él.',
  webhook_no_encontrado: 'Revise el Id con `GET /api/webhooks`. Solo se ven los de su cuenta.',
  webhooks_excedidos: 'Elimine uno que ya no use, con `DELETE /api/webhooks/{id}`.',
  etiqueta_fallida:
    'No repita: esa etiqueta no se puede imprimir. Avise al transportista, con el `requestId`.',
  etiqueta_tardia: 'Repita tras `Retry-After`: la etiqueta puede estar lista ya.',
  parametro_desconocido: 'Corrija el nombre del parámetro o quítelo.',
  parametro_invalido: 'Corrija el valor del parámetro que `details` nombra.',
  formato_no_aceptable:
    'Pida un formato del mensaje en `Accept`, o con `formato`: `pdf`, `png` o `zpl`. Sin `Accept`, es PDF.',
  saturado: 'Repita tras `Retry-After`, con menos solicitudes a la vez.',
  servicio_no_disponible: 'Repita tras `Retry-After`. Nada se guardó.',
  recurso_no_encontrado: 'Revise la ruta.',
  metodo_no_permitido: 'Use uno de los métodos del header `Allow`.',
  cuerpo_no_json: 'Mande JSON válido y completo.',
  cuerpo_no_utf8: 'Mande el cuerpo en UTF-8, no en Latin-1.',
  cuerpo_muy_grande: 'Divida la solicitud en varias.',
  tipo_de_contenido: 'Mande `Content-Type: application/json`, sin comprimir.',
  headers_muy_grandes: 'Mande menos headers, o más cortos.',
  solicitud_incompleta: 'La conexión fue demasiado lenta: repita.',
  solicitud_invalida: 'Revise la solicitud: no es HTTP válido.',
  error_interno: 'Puede repetir. Si sigue, avise al transportista, con el `requestId`.',
};
