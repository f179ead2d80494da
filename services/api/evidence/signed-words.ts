import { annulledBy, type EventBody } from '#shared/tracking/event-model.ts';

/** Returns what the tracking page says after "Entregado" of a guide with these events: that somebody signed. */
export function signedWords(told: readonly EventBody[]): string {
  const annulled = annulledBy(told);
  const delivered = new Set(
    told.flatMap(({ Tipo, Id }) => (Tipo === 'Entregado' && !annulled.has(Id) ? [Id] : [])),
  );
  const isSigned = told.some(
    ({ Tipo, Imagen, De = '' }) => Tipo === 'Evidencia' && Imagen === 'firma' && delivered.has(De),
  );
  return isSigned ? ', con firma' : '';
}
