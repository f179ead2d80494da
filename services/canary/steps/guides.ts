import { randomInt, randomUUID } from 'node:crypto';
import { CANARY_TITLE } from '#shared/canary/names.ts';
import { type Customer, UnexpectedAnswer } from '../http/customer.ts';
import type { Destination } from './destinations.ts';
import { DEADLINE_MS } from './time-limits.ts';

/** A guide that is asked for. Its name and street are no person's, and stand on no other label. */
export type NewGuide = { name: string; street: string; body: object; idempotencyKey: string };
/** A guide that was created, as its labels must show it. */
export type MadeGuide = NewGuide & { number: string };

export function newGuide({ postalCode }: Destination): NewGuide {
  const name = `${word()} Ñú${word()}`;
  const street = `Calzada ${word()} Güeñá`;
  const body = {
    Remitente: { Nombre: CANARY_TITLE },
    Destinatario: { Nombre: name, Calle: street, Numero_exterior: '12', CodigoPostal: postalCode },
    Producto: { Contenido: 'Prueba del servicio', Peso: 1, Largo: 10, Ancho: 10, Alto: 10 },
    Creado_por: {},
  };
  return { name, street, body, idempotencyKey: randomUUID() };
}

/** Without letters that fonts join into ligatures: extracted text would differ. */
const [CONSONANTS, VOWELS] = ['bcdglmnprstvz', 'aeiouáéíóú'];
const SYLLABLES = 4;

function word(): string {
  const any = (letters: string) => letters.charAt(randomInt(letters.length));
  return Array.from({ length: SYLLABLES }, () => any(CONSONANTS) + any(VOWELS)).join('');
}

/** Creates a guide, or asks again for the one that its key has made. @throws UnexpectedAnswer, CredentialRefused */
export async function createGuide(customer: Customer, guide: NewGuide): Promise<MadeGuide> {
  const { body, idempotencyKey } = guide;
  const { data } = await customer.read<{ SEND_GUIA: string }[]>({
    path: '/api/guias/crear',
    json: { TipoServicio: 'Domicilio', Guia: [body] },
    headers: { 'idempotency-key': idempotencyKey },
    deadlineMs: DEADLINE_MS.write,
  });
  const number = data[0]?.SEND_GUIA;
  if (number === undefined) throw new UnexpectedAnswer('la respuesta no trae la guía');
  return { ...guide, number };
}

/** @throws UnexpectedAnswer where the same key makes another guide. */
export async function repeatCreation(customer: Customer, guide: MadeGuide): Promise<void> {
  if ((await createGuide(customer, guide)).number !== guide.number)
    throw new UnexpectedAnswer('la misma solicitud dio otra guía');
}

/** Reads a guide back. @throws UnexpectedAnswer where it is another one, or in another state. */
export async function readGuide(customer: Customer, guide: MadeGuide, status = 'Documentado'): Promise<void> {
  const { data } = await customer.read<{
    SEND_GUIA: string;
    SEND_ESTATUS: string;
    Destinatario: { Nombre: string; Calle: string };
  }>({ path: `/api/guias/${guide.number}`, deadlineMs: DEADLINE_MS.read });
  const { Nombre, Calle } = data.Destinatario;
  if (data.SEND_GUIA !== guide.number || Nombre !== guide.name || Calle !== guide.street)
    throw new UnexpectedAnswer('la respuesta trae otra guía');
  if (data.SEND_ESTATUS !== status) throw new UnexpectedAnswer(`la guía está ${data.SEND_ESTATUS}`);
}
