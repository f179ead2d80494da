/** Why a parcel is in trouble, in the words of the pages. */
export const REASONS = {
  direccion_incorrecta: 'La dirección está mal o incompleta',
  destinatario_ausente: 'No había quien recibiera',
  rechazado: 'No quisieron recibirlo',
  danado: 'El paquete está dañado',
  extraviado: 'No encontramos el paquete',
  retenido: 'El paquete está retenido',
  otro: 'Por otro motivo',
};
export const REASON_NAMES = Object.keys(REASONS) as (keyof typeof REASONS)[];
