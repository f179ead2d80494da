import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Esquemas } from './esquemas.mjs';

export { WebhookVerificationError };
export type Evento = Esquemas['EventoDeCuenta'];

/**
 * Comprueba la firma de un mensaje de webhook, y da sus eventos: ninguno si es de prueba, o de un tipo que vino después.
 *
 * @param secreto el que dio `POST /api/webhooks`.
 * @param cuerpo tal como llegó.
 * @throws WebhookVerificationError si el servicio no lo mandó, o hace más de cinco minutos.
 */
export function eventosDelMensaje(
  secreto: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  cuerpo: string,
): Evento[] {
  const unos = Object.fromEntries(
    Object.entries(headers).map(([nombre, valor]) => [nombre, String(valor ?? '')]),
  );
  const mensaje = new Webhook(secreto).verify(cuerpo, unos) as { type: string; data: { Eventos?: Evento[] } };
  return mensaje.type === 'guias.eventos' ? (mensaje.data.Eventos ?? []) : [];
}
