import type { GuideStatus, Reason } from '#shared/contracts/event.ts';
import type { Told } from '#shared/stores/event-log.ts';

/** What the tracking page calls things, as people say them. */

/** A state, with a sentence that says what it means, and how it looks. */
type StateWords = { title: string; sentence: string; look: 'normal' | 'bien' | 'atencion' | 'fin' };
export const STATES: Readonly<Record<GuideStatus, StateWords>> = {
  Documentado: {
    title: 'Guía creada',
    sentence: 'Todavía no recibimos el paquete.',
    look: 'normal',
  },
  Recolectado: { title: 'Recolectado', sentence: 'Ya tenemos el paquete.', look: 'normal' },
  EnTransito: { title: 'En camino', sentence: 'El paquete viaja hacia su destino.', look: 'normal' },
  EnSucursal: {
    title: 'Listo para recoger',
    sentence: 'El paquete espera en la sucursal.',
    look: 'normal',
  },
  EnReparto: { title: 'En reparto', sentence: 'El paquete va en camino a la puerta.', look: 'normal' },
  Incidencia: {
    title: 'Hubo un problema',
    sentence: 'Lo estamos resolviendo. Abajo está lo que pasó.',
    look: 'atencion',
  },
  Devuelto: { title: 'Devuelto', sentence: 'El paquete regresó a quien lo envió.', look: 'fin' },
  Entregado: { title: 'Entregado', sentence: 'El paquete llegó a su destino.', look: 'bien' },
  Cancelado: { title: 'Guía cancelada', sentence: 'Este envío ya no se hará.', look: 'fin' },
};

/** Events; an annulment and what it annuls are not shown. */
export const EVENTS: Readonly<Record<Exclude<Told['Tipo'], 'Anulacion'> | 'Creada', string>> = {
  Creada: 'Guía creada',
  Recolectado: 'Recolectado',
  EnTransito: 'En camino',
  EnSucursal: 'Llegó a la sucursal, listo para recoger',
  EnReparto: 'Salió a reparto',
  Entregado: 'Entregado',
  Incidencia: 'Hubo un problema',
  Devuelto: 'Devuelto a quien lo envió',
  Cancelacion: 'Guía cancelada',
};

export const REASONS: Readonly<Record<Reason, string>> = {
  direccion_incorrecta: 'La dirección está mal o incompleta',
  destinatario_ausente: 'No había quien recibiera',
  rechazado: 'No quisieron recibirlo',
  danado: 'El paquete está dañado',
  extraviado: 'No encontramos el paquete',
  retenido: 'El paquete está retenido',
  otro: 'Por otro motivo',
};

/** The way of most packages. A state that is not on it has no steps. */
const WAY = ['Guía creada', 'Recolectado', 'En camino', 'En reparto', 'Entregado'];
const PLACES: Partial<Record<GuideStatus, number>> = {
  Documentado: 0,
  Recolectado: 1,
  EnTransito: 2,
  EnSucursal: 3,
  EnReparto: 3,
  Entregado: 4,
};

/** Returns the steps of a guide's way, and which of them is the one where it is. */
export function stepsOf(status: GuideStatus): { name: string; state: 'antes' | 'ahora' | 'luego' }[] {
  const place = PLACES[status];
  if (place === undefined) return [];
  return WAY.map((name, i) => ({
    name: i === place ? STATES[status].title : name,
    state: i < place ? 'antes' : i === place ? 'ahora' : 'luego',
  }));
}
