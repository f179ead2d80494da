import type { Connection } from 'mongoose';
import type { Evidence } from '#shared/evidence/evidence-model.ts';
import { type Answer, type Client, call } from '#test/fixtures/client.ts';
import { event, test as events } from '#test/fixtures/events.ts';
import { png } from './pictures.ts';

export const pathOf = (guide: string, id: string, picture: string) =>
  `/api/eventos/${guide}/${id}/evidencia/${picture}`;

/** Sends a picture of an event. */
export function put(
  { url, token }: Client,
  path: string,
  bytes: Uint8Array = png(),
  type = 'image/png',
): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) };
  return call(url + path, { method: 'PUT', headers, body: new Uint8Array(bytes) });
}

export type Listed = {
  Evento: string;
  Imagen: string;
  Tipo: string;
  Ancho: number;
  Bytes: number;
  Anulada: boolean;
  Retirada?: true;
};
export const listedOf = ({ body }: Answer) => body.data as Listed[];
export const outcomeOf = ({ status, body }: Answer) => [status, body.codigo ?? body.message];

/** Returns what is stored: the documents of a guide, and how many pictures MongoDB has in all. */
export async function storedOf(mongo: Connection, guide: string) {
  const evidence = await mongo.collection<Evidence>('evidence').find({ guide }).toArray();
  const keys = evidence.flatMap(({ key, printKey }) => [key, printKey]);
  const pictures = await mongo.collection<{ _id: string }>('pictures').countDocuments({ _id: { $in: keys } });
  return { evidence, pictures };
}

/** Tests with guides of `demo` that have events, and with `send`, by which `escaner` sends a picture. */
export const test = events
  .extend(
    'guideWith',
    { scope: 'file' },
    ({ newGuide, register }) =>
      async (...told: [string, object?][]) => {
        const guide = await newGuide();
        await register(...told.map(([Tipo, more]) => event(guide, Tipo as 'Entregado', more)));
        return guide;
      },
  )
  .extend(
    'delivered',
    { scope: 'file' },
    ({ guideWith }) =>
      () =>
        guideWith(['Entregado', { Id: 'e1' }]),
  )
  .extend(
    'send',
    { scope: 'file' },
    ({ scanner }) =>
      (guide: string, picture = 'firma', bytes: Uint8Array = png(), id = 'e1') =>
        put(scanner, pathOf(guide, id, picture), bytes),
  );
