import { type Acceso, Llamadas } from './llamadas.mjs';
import { Operaciones } from './operaciones.mjs';
import type { Peticion } from './peticion.mjs';

export { ErrorDeGuias, type Problema } from './error.mjs';
export type { Esquemas } from './esquemas.mjs';
export { type Evento, eventosDelMensaje, WebhookVerificationError } from './webhook.mjs';

/**
 * El servicio de guías, como lo ve quien tiene una llave, o un usuario y su contraseña. Cada método se llama como su operación en
 * `/api/docs/operaciones`, y da el cuerpo de la respuesta. Todos repiten lo que falla de paso, y lanzan `ErrorDeGuias`.
 */
export class ClienteDeGuias extends Operaciones {
  readonly #llamadas: Llamadas;

  /** @param opciones.plazoMs lo más que tarda una llamada, con sus repeticiones; dos minutos si falta. */
  constructor(opciones: { url: string; plazoMs?: number | undefined } & Acceso) {
    super();
    this.#llamadas = new Llamadas(opciones.url, opciones, opciones.plazoMs ?? 120_000);
  }

  protected override responder(peticion: Peticion): Promise<Response> {
    return this.#llamadas.mandar(peticion);
  }
}
