import { randomUUID } from 'node:crypto';
import { generateGuideNumber } from '#services/api/guides/guide-number.ts';
import { labelPayload } from '#services/api/labels/label-payload.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { LabelPayload } from '#shared/labels/label-payload.ts';
import { fullGuide } from '#test/fixtures/client.ts';

/**
 * Guides with every field but a return address and money to collect. No two are alike: as much work as a label can be, and nothing that a cache
 * knows.
 */

const NAMES = ['Ana López', 'Íñigo Núñez', 'María José Peña', 'Luis Ángel Güemes', 'Ximena Ávalos'];
const STREETS = ['Av. Juárez', 'Calle 5 de Mayo', 'Av. Paseo de la Reforma', 'Privada de los Olivos'];
const CONTENTS = ['Libros', 'Refacciones para motocicleta', 'Ropa de niño', 'Muestras sin valor comercial'];

let made = 0;

export function newGuide() {
  // Money is collected of few guides, and not where the others go.
  const { Cobro: _, ...guide } = fullGuide();
  const turn = made++;
  const of = (texts: readonly string[]) => texts[turn % texts.length] as string;
  const { Telefono, Celular, Email } = guide.Remitente;
  const Remitente = { Nombre: of(NAMES), Telefono, Celular, Email };
  guide.Destinatario.Nombre = `${of(NAMES)} ${turn}`;
  guide.Destinatario.Calle = of(STREETS);
  guide.Destinatario.Numero_exterior = String(1 + (turn % 999));
  guide.Producto.Contenido = of(CONTENTS);
  guide.Producto.Peso = 1 + (turn % 300) / 10;
  return { ...guide, Remitente };
}

/** A guide as the API stores it. */
export function newRecord(): GuideDocument {
  return {
    _id: generateGuideNumber(),
    creation: randomUUID(),
    username: 'demo',
    account: 'demo',
    createdAt: '2026-07-14T10:32:05',
    createdUtc: new Date('2026-07-14T16:32:05Z'),
    status: 'Documentado',
    service: 'Domicilio',
    origin: { code: 'MEX01', name: 'Ciudad de México Juárez' },
    destination: { code: 'MTY01', name: 'Monterrey Centro' },
    freight: 0,
    total: 0,
    guide: newGuide(),
  };
}

/** The letter label of a new guide, as the API would ask for it. */
export function newLabel(): LabelPayload {
  const labelSettings = { carrier: 'Paquetería', trackingUrl: 'https://rastreo.example/{guia}' };
  return labelPayload(newRecord(), { kind: 'letter', packages: 1 }, { labelSettings, labelAdditions: [] });
}
