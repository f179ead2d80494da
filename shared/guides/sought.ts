import { phoneDigits } from '../phones/phone.ts';
import type { Guide } from './guide.ts';
import { plainWords } from './plain-words.ts';

/** What support finds a guide by: its recipient's name in plain words, and the digits of the phones. */
export type Sought = { name: string; phones: string[] };

export function soughtOf({ Nombre, Celular, Telefono }: Guide['Destinatario']): Sought {
  const phones = [Celular, Telefono].flatMap((phone) => (phone ? [phoneDigits(phone)] : []));
  return { name: plainWords(Nombre), phones: [...new Set(phones)] };
}
